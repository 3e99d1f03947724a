import { decide } from '../domain/documents/decide.js';
import type { Outcome } from '../domain/documents/decision.js';
import { newDocument, type DocumentState } from '../domain/documents/state.js';
import { documentKeyString, type DocumentKey } from '../domain/identity.js';
import type { Change, Loaded } from '../ports/catalog/librarian-store.js';
import { documentOf, type BatchItem } from './batch-item.js';
import { CollectionLedger } from './collection-ledger.js';
import { Conversions } from './conversions.js';
import { outputsOf, restoreOutputs, storeOutputs, type LibrarianOutput } from './outputs.js';
import type { Parsed } from './parse-command.js';

/** What became of one item. */
export type Folded = { readonly outputs: readonly LibrarianOutput[] } | { readonly error: unknown } | 'held';

export interface Upload {
  readonly workspace: string;
  readonly uploadId: string;
}

export interface FoldResult {
  readonly outcomes: readonly Folded[];
  /** Uploads that are to go unless a version refers to them. */
  readonly uploads: readonly Upload[];
}

/**
 * Folds the commands of a batch, in order, through `decide`. One that was handled before gives its stored outputs and
 * changes nothing; one that fails holds the later ones of its key and harms no other.
 */
export function fold(items: readonly BatchItem[], loaded: Loaded): Change<FoldResult> {
  const states = new Map(loaded.documents);
  const changed = new Set<string>();
  const handled = new Map(loaded.handled);
  const newlyHandled: { readonly command: string; readonly outputs: ReturnType<typeof storeOutputs> }[] = [];
  const conversions = new Conversions(loaded);
  const collections = new CollectionLedger(loaded, conversions);
  const said: (DocumentKey & { readonly kind: string; readonly outcome: Outcome })[] = [];
  const uploads: Upload[] = [];
  const stuckKeys = new Set<string>();

  const outcomes = items.map((item): Folded => {
    if (stuckKeys.has(item.key)) return 'held';
    if (item.error !== undefined) {
      stuckKeys.add(item.key);
      return { error: item.error };
    }
    const before = handled.get(item.command);
    if (before !== undefined) {
      // It may have died before it dropped its upload.
      const upload = submittedUpload(item);
      if (upload !== undefined) uploads.push(upload);
      return { outputs: restoreOutputs(before) };
    }
    try {
      const outputs = handle(item);
      const stored = storeOutputs(outputs);
      handled.set(item.command, stored);
      newlyHandled.push({ command: item.command, outputs: stored });
      return { outputs };
    } catch (error) {
      stuckKeys.add(item.key);
      return { error };
    }
  });

  return {
    documents: [...changed].flatMap((key) => states.get(key) ?? []),
    collections: [...conversions.changes(), ...collections.changes()],
    outcomes: said,
    handled: newlyHandled,
    result: { outcomes, uploads },
  };

  function handle(item: BatchItem): LibrarianOutput[] {
    const { parsed } = item;
    if (parsed?.kind === 'delete-collection') {
      const cancelled = conversions.cancel(item.delivery.value);
      const walked = collections.walk(item, parsed.cursor);
      note([...cancelled.outcomes, ...walked.outcomes], item, '');
      return [...cancelled.outputs, ...walked.outputs];
    }
    if (parsed?.kind === 'conversion' || parsed?.kind === 'conversion-walk') return converted(item, parsed);
    const key = documentOf(item);
    if (parsed?.kind !== 'document' || key === undefined) return [];
    const name = documentKeyString(key);
    const state = states.get(name) ?? newDocument(key);
    const facts = collections.facts(key);
    const decision = decide(state, parsed.command, facts, loaded.now);
    const outputs = decision.effects.flatMap((effect) =>
      outputsOf(key, effect, [...(facts?.spaces ?? []), ...(facts?.retiredSpaces ?? [])]),
    );
    outputs.push(...conversions.moved(state, decision.state));
    keep(name, state, decision.state);
    for (const effect of decision.effects) {
      if (effect.kind === 'drop-upload') uploads.push({ workspace: key.workspace, uploadId: effect.uploadId });
    }
    note(decision.outcomes, item, key.documentId);
    const removed = state.versions.filter(
      (old) => !decision.state.versions.some((each) => each.version === old.version),
    );
    if (removed.length === 0) return outputs;
    const ended = collections.versionsRemoved(key, removed.length);
    note(ended.outcomes, item, '');
    return [...outputs, ...ended.outputs];
  }

  function converted(
    item: BatchItem,
    parsed: Extract<Parsed, { readonly kind: 'conversion' | 'conversion-walk' }>,
  ): LibrarianOutput[] {
    const { workspace, collection } = item.delivery.value;
    const key = { workspace, collection };
    const does =
      parsed.kind === 'conversion'
        ? conversions.apply(key, parsed.command, collections.refusal(key))
        : conversions.walk(item, parsed.walk);
    note(does.outcomes, item, '');
    return [...does.outputs];
  }

  function keep(name: string, before: DocumentState, after: DocumentState): void {
    if (after === before || after.lastVersion === 0) return;
    states.set(name, after);
    changed.add(name);
  }

  function note(outcomesSaid: readonly Outcome[], { delivery }: BatchItem, documentId: string): void {
    const { workspace, collection, kind } = delivery.value;
    said.push(...outcomesSaid.map((outcome) => ({ workspace, collection, documentId, kind, outcome })));
  }
}

function submittedUpload({ parsed }: BatchItem): Upload | undefined {
  if (parsed?.kind !== 'document' || parsed.command.kind !== 'submit') return undefined;
  return { workspace: parsed.key.workspace, uploadId: parsed.command.uploadId };
}
