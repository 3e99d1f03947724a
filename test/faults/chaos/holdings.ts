import { createHash } from 'node:crypto';
import pg from 'pg';
import { openPorts, type OpenPorts } from '../../../services/ports/wire.js';
import { portSettings, readConfiguration } from '../../../services/settings.js';

/** All that stands in the stores of a deployment, without what differs from run to run (times, ids of uploads). */
export interface Holdings {
  /** Rows of the catalog by document, and by version. */
  readonly documents: Readonly<Record<string, unknown>>;
  readonly versions: Readonly<Record<string, unknown>>;
  /** Keys in the blob store with their sizes, uploads apart. */
  readonly blobs: Readonly<Record<string, number>>;
  /** Uploads that a version refers to and that are not there; what is there and nothing refers to. */
  readonly uploads: { readonly lost: readonly string[]; readonly unwanted: readonly string[] };
  /** By point id: its payload, and a digest of its vectors. */
  readonly points: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string>>;

/** The stores of a deployment, for a look from outside. */
export const portsOf = (environment: Environment): Promise<OpenPorts> =>
  openPorts(portSettings(readConfiguration({ env: environment })));

const documentRows = `
  select collection || '/' || document_id as name, last_version, live_version, newest_version, newest_state
  from documents order by 1`;
const versionRows = `
  select collection || '/' || document_id || '#' || version as name, version_hash, state, purge_begun, content_hash,
    size_bytes, given_type, decoded_type, decoded_title, tags, given_attributes, decoded_attributes,
    attribute_revision, points_outdated, text_sha256, text_bytes, packs, chunks, confirmed, stage, code, reason
  from versions order by 1`;

/** Rows of the deployment's catalog. */
export async function queried<T extends pg.QueryResultRow>(
  environment: Environment,
  sql: string,
): Promise<readonly T[]> {
  const client = new pg.Client({ connectionString: environment['SLUICE_POSTGRES_URL'] });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

const byName = (rows: readonly { readonly name: string }[]): Record<string, unknown> =>
  Object.fromEntries(rows.map(({ name, ...rest }) => [name, rest]));

export async function holdings(
  environment: Environment,
  { blobStore }: Pick<OpenPorts, 'blobStore'>,
): Promise<Holdings> {
  const blobs: Record<string, number> = {};
  const uploads = new Set<string>();
  for await (const { key, sizeBytes } of blobStore.list('')) {
    if (key.includes('/sources/')) uploads.add(key);
    else blobs[key] = sizeBytes;
  }
  const referred = await queried<{ key: string }>(
    environment,
    `select workspace || '/sources/' || upload_id as key from versions`,
  );
  const wanted = new Set(referred.map(({ key }) => key));
  return {
    documents: byName(await queried(environment, documentRows)),
    versions: byName(await queried(environment, versionRows)),
    blobs,
    uploads: {
      lost: [...wanted].filter((key) => !uploads.has(key)),
      unwanted: [...uploads].filter((key) => !wanted.has(key)),
    },
    points: await points(environment),
  };
}

interface Vectors {
  readonly dense: readonly number[];
  readonly terms: { readonly indices: readonly number[]; readonly values: readonly number[] };
}

interface Scrolled {
  readonly points: readonly { readonly id: string; readonly payload: unknown; readonly vector: Vectors }[];
  readonly next_page_offset?: string | null;
}

/** Terms come in any order; the rest stands as it was written. */
function canonical({ dense, terms }: Vectors): string {
  const weights = terms.indices.map((index, place) => [index, terms.values[place] ?? 0] as const);
  return JSON.stringify([dense, weights.sort(([a], [b]) => a - b)]);
}

/** Every point of every collection of the deployment, by the vector store's own interface. */
async function points(environment: Environment): Promise<Record<string, string>> {
  const [url, prefix] = [environment['SLUICE_QDRANT_URL'] ?? '', environment['SLUICE_QDRANT_PREFIX'] ?? ''];
  const request = async <T>(path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url}${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    });
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
    return ((await response.json()) as { result: T }).result;
  };
  const found: Record<string, string> = {};
  const { collections } = await request<{ collections: readonly { name: string }[] }>('/collections');
  for (const { name } of collections) {
    if (!name.startsWith(prefix)) continue;
    for (let offset: string | null | undefined; offset !== null;) {
      const page: Scrolled = await request(`/collections/${name}/points/scroll`, {
        ...{ limit: 500, with_payload: true, with_vector: true },
        ...(offset === undefined ? {} : { offset }),
      });
      for (const { id, payload, vector } of page.points) {
        const digest = createHash('sha256').update(canonical(vector)).digest('hex').slice(0, 16);
        found[`${name.slice(prefix.length)} ${id}`] = `${JSON.stringify(payload)} ${digest}`;
      }
      offset = page.next_page_offset ?? null;
    }
  }
  return found;
}
