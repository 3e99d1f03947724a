import type { Document, SyncRoot } from '../../gateway/client/client.js';
import type { Ledger } from '../load/ledger.js';
import type { LoadItem, LoadPlan } from '../load/plan.js';
import { runLoad } from '../load/run-load.js';
import { systemReason } from '../system-reason.js';
import { pruneGone } from './prune.js';
import type { SyncRequest } from './request.js';
import { SyncCounts, type SyncPlan, type SyncSummary } from './result.js';
import { openRoot, type OpenRoot } from './roots.js';
import { survey, type Finding, type Survey } from './survey.js';

/** Compares, and changes nothing. */
export async function planSync(request: SyncRequest): Promise<SyncPlan> {
  const sync = new Sync(request);
  const found = { new: [] as string[], changed: [] as string[] };
  let unchanged = 0;
  for await (const { finding } of sync.findings()) {
    if (finding.kind === 'unchanged') unchanged++;
    else if (finding.kind === 'new' || finding.kind === 'changed') {
      found[finding.kind].push(finding.item.source ?? finding.item.path);
      await finding.done?.();
    }
  }
  return {
    dry_run: true,
    roots: request.roots.map(({ root }) => root),
    ...found,
    unchanged,
    gone: sync.gone(),
    failed: sync.counts.failed,
  };
}

/** Sends what is new and changed, root by root; then, if all of them could be read, deletes what is gone. */
export async function runSync(request: SyncRequest): Promise<SyncSummary> {
  const began = performance.now();
  const sync = new Sync(request);
  for (const root of request.roots) await sync.load(root);
  const { counts } = sync;
  if (request.prune && !sync.unreadable) {
    const { deleted, failed } = await pruneGone(request, sync.goneDocuments());
    counts.deleted = deleted;
    counts.failed.push(...failed);
  }
  const { new: added, changed, unchanged, deleted, failed, chunks } = counts;
  return {
    roots: request.roots.map(({ root }) => root),
    ...{ new: added, changed, unchanged, gone: sync.gone(), deleted, failed, chunks },
    seconds: Math.round(performance.now() - began) / 1000,
  };
}

class Sync {
  readonly counts = new SyncCounts();
  unreadable = false;
  readonly #gone = new Map<string, Document>();
  readonly #seen: Set<string> | undefined;

  constructor(private readonly request: SyncRequest) {
    // One root alone gives every file once.
    this.#seen = request.roots.length > 1 ? new Set() : undefined;
  }

  /** Sources of documents whose file is gone. */
  gone(): string[] {
    return [...this.#gone.values()].map(({ source }) => source ?? '');
  }

  goneDocuments(): Document[] {
    return [...this.#gone.values()];
  }

  async *findings(): AsyncGenerator<{ readonly finding: Finding }> {
    for (const root of this.request.roots) yield* this.#under(root);
  }

  async load(root: SyncRoot): Promise<void> {
    const { client, ledger, signal, onLoad, onWaiting } = this.request;
    const done: (() => Promise<void>)[] = [];
    const plan = this.#planOf(root);
    // What was compared is sent without a second comparison: the load only notes what it sent.
    const notes: Ledger = { ...ledger, size: 0, get: () => undefined };
    const run = runLoad(client, plan, notes, this.#items(root, done), signal, onWaiting);
    onLoad(run);
    try {
      this.counts.add(await run.done);
    } finally {
      await Promise.all(done.map((remove) => remove()));
    }
  }

  async *#items(root: SyncRoot, done: (() => Promise<void>)[]): AsyncGenerator<LoadItem> {
    for await (const { finding } of this.#under(root)) {
      if (finding.kind === 'unchanged') this.counts.unchanged++;
      else if (finding.kind === 'new' || finding.kind === 'changed') {
        if (finding.done !== undefined) done.push(finding.done);
        yield finding.item;
      }
    }
  }

  /** What one root comes to; what is gone and what is unreadable is noted on the way. */
  async *#under(recorded: SyncRoot): AsyncGenerator<{ readonly finding: Finding }> {
    const { client, ledger, skipped, signal, allowEmpty } = this.request;
    let root: OpenRoot;
    try {
      root = await openRoot(recorded.root);
    } catch (error) {
      this.#fail(recorded.root, systemReason(error));
      return;
    }
    const of: Survey = { client, plan: this.#planOf(recorded), ledger, skipped, signal, seen: this.#seen };
    let files = 0;
    let gone = 0;
    for await (const finding of survey(of, root)) {
      if (finding.kind === 'gone') {
        gone++;
        this.#gone.set(finding.document.document_id, finding.document);
      } else if (finding.kind === 'unreadable') {
        this.#fail(finding.path, finding.reason);
      } else files++;
      yield { finding };
    }
    if (root.kind === 'local' && !root.single && files === 0 && gone > 0 && !allowEmpty) {
      this.#fail(
        recorded.root,
        `it gives no file any more, though ${gone} documents came from it: is it mounted? Give --allow-empty if it is empty on purpose`,
      );
    }
  }

  #fail(source: string, reason: string): void {
    this.unreadable = true;
    this.counts.failed.push({ source, code: 'unreadable', reason });
  }

  #planOf({ tags, metadata }: SyncRoot): LoadPlan {
    const { collection, concurrency } = this.request;
    return {
      ...{ collection, concurrency, force: false },
      ...(tags === undefined ? {} : { tags }),
      ...(metadata === undefined ? {} : { metadata }),
    };
  }
}
