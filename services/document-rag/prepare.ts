import type { RetrievalCompleted } from '../../schema/generated.js';
import { assemble, type Context } from '../domain/context/assemble.js';
import { SluiceError } from '../domain/errors.js';
import { hydrate } from '../ports/blob-store/packs.js';
import type { GenerationRequest, LanguageModel } from '../ports/language-model/port.js';
import type { Ports } from '../ports/ports.js';
import type { AnswerConfig } from './answer-config.js';
import type { AnswerHit } from './cite.js';
import type { Continuation } from './continuation.js';
import { buildPrompt, fenceFor, renderPassage } from './prompt.js';

export interface Prepared {
  readonly request: GenerationRequest;
  readonly context: Context<AnswerHit>;
  /** Chunk ids of the hits whose text is gone. */
  readonly missing: string[];
}

/** Fetches the hits' texts and puts as many of them into a prompt as the budget and the model's window hold. */
export async function prepare(
  { workspace, hits }: RetrievalCompleted,
  { question, turns, max_context_tokens: asked }: Continuation,
  { blobStore, languageModel: model }: Pick<Ports, 'blobStore' | 'languageModel'>,
  config: AnswerConfig,
): Promise<Prepared> {
  const hydrated = (await hydrate(blobStore, workspace, hits)).map(answerHit);
  const fence = fenceFor(hydrated.map(({ text }) => text));
  const { notFoundText, maxHistoryTokens, maxOutputTokens } = config;
  const history = lastTurns(turns, maxHistoryTokens, model);
  const promptWith = (context: string) => buildPrompt({ fence, context, question, turns: history, notFoundText });
  const bare = promptWith('');
  const room = model.contextWindow - maxOutputTokens - model.countTokens(`${bare.system}\n${bare.prompt}`);
  if (room < 1) {
    throw new SluiceError(
      'invalid-argument',
      `question and history leave no room for passages in the ${model.contextWindow} tokens of model ${model.name}: ask something shorter`,
    );
  }
  const context = assemble(hydrated, {
    maxTokens: Math.min(asked !== null && asked > 0 ? asked : config.maxContextTokens, room),
    countTokens: (text) => model.countTokens(text),
    render: (passage) => renderPassage(passage, fence),
  });
  const passages = context.passages.map(({ marker, text, hit: { headingPath, source } }) => ({
    ...{ marker, text, headingPath, source },
  }));
  return {
    request: { ...promptWith(context.context), question, passages, notFoundText, maxOutputTokens },
    context,
    missing: hydrated.filter((hit) => !hit.hydrated).map(({ retrieved }) => retrieved.chunk_id),
  };
}

type HydratedHit = Awaited<ReturnType<typeof hydrate<RetrievalCompleted['hits'][number]>>>[number];

function answerHit({ hydrated, text, lead, heading_path, start, end, page, ...retrieved }: HydratedHit): AnswerHit {
  const { version_hash: versionHash, source } = retrieved;
  return { retrieved, versionHash, hydrated, text, lead, headingPath: heading_path, source, start, end, page };
}

/** The latest turns that fit, oldest first. */
function lastTurns(
  turns: Continuation['turns'],
  maxTokens: number,
  model: Pick<LanguageModel, 'countTokens'>,
): Continuation['turns'] {
  let tokens = 0;
  const oldest = turns.findLastIndex(({ role, text }) => (tokens += model.countTokens(`${role}: ${text}`)) > maxTokens);
  return turns.slice(oldest + 1);
}
