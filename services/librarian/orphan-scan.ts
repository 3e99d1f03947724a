import { SluiceError } from '../domain/errors.js';
import type { CollectionRecord } from '../ports/catalog/port.js';
import type { Ports } from '../ports/ports.js';
import type { VectorScope } from '../ports/vector-store/port.js';

export interface OrphanScanOptions {
  /** Removes orphans even if they are more than a hundredth of all points. */
  readonly force?: boolean;
  readonly dryRun?: boolean;
  /** Only of this workspace; absent: of all. */
  readonly workspace?: string;
  readonly signal?: AbortSignal;
}

export interface OrphanScanResult {
  readonly points: number;
  readonly orphans: number;
  readonly removed: number;
}

const atOnce = 1_000;
const suspiciousShare = 0.01;

/**
 * Removes points of versions that the catalog does not know, in every collection's spaces. A version's row is there
 * before its first point and goes after its last, so such a point is a leftover; but if there are many of them, the
 * catalog is the one that lost something, and nothing is removed unless forced.
 */
export async function removeOrphanPoints(
  ports: Pick<Ports, 'catalog' | 'librarianStore' | 'vectorStore'>,
  options: OrphanScanOptions = {},
): Promise<OrphanScanResult> {
  const orphans: { readonly scope: VectorScope; readonly versionHash: string; readonly points: number }[] = [];
  let points = 0;
  for (const workspace of await workspacesOf(ports, options)) {
    for (const collection of await ports.catalog.collections(workspace)) {
      for (const scope of scopesOf(collection)) {
        const found = await unknownVersions(ports, scope, options.signal);
        points += found.points;
        for (const [versionHash, count] of found.unknown) orphans.push({ scope, versionHash, points: count });
      }
    }
  }
  const orphaned = orphans.reduce((sum, orphan) => sum + orphan.points, 0);
  if (options.dryRun === true || orphaned === 0) return { points, orphans: orphaned, removed: 0 };
  if (orphaned > points * suspiciousShare && options.force !== true) {
    throw new SluiceError(
      'invalid-argument',
      `${orphaned} of ${points} points belong to versions that the catalog does not know: nothing was removed; ` +
        'if the catalog was not restored from an older copy, force the scan (sluice recover --orphans --force)',
    );
  }
  for (const { scope, versionHash } of orphans) {
    options.signal?.throwIfAborted();
    await ports.vectorStore.delete(scope, { versionHash });
  }
  return { points, orphans: orphaned, removed: orphaned };
}

const workspacesOf = async (
  { librarianStore }: Pick<Ports, 'librarianStore'>,
  { workspace }: OrphanScanOptions,
): Promise<readonly string[]> => (workspace === undefined ? librarianStore.workspaces() : [workspace]);

function scopesOf({ workspace, id, space, targetSpace, lexical }: CollectionRecord): VectorScope[] {
  const spaces = targetSpace === null ? [space] : [space, targetSpace];
  return spaces.map((each) => ({ workspace, collection: id, space: each, lexical }));
}

async function unknownVersions(
  { catalog, vectorStore }: Pick<Ports, 'catalog' | 'vectorStore'>,
  scope: VectorScope,
  signal: AbortSignal | undefined,
): Promise<{ points: number; unknown: ReadonlyMap<string, number> }> {
  const unknown = new Map<string, number>();
  let points = 0;
  let seen = new Map<string, number>();
  const judge = async (): Promise<void> => {
    const known = await catalog.versions([...seen.keys()]);
    for (const [hash, count] of seen) if (!known.has(hash)) unknown.set(hash, (unknown.get(hash) ?? 0) + count);
    seen = new Map();
  };
  for await (const { versionHash } of vectorStore.scan(scope)) {
    signal?.throwIfAborted();
    points++;
    // Imported points belong to no version.
    if (versionHash !== undefined) seen.set(versionHash, (seen.get(versionHash) ?? 0) + 1);
    if (seen.size >= atOnce) await judge();
  }
  await judge();
  return { points, unknown };
}
