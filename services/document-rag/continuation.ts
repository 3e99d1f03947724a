import { Type, type Static } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { QuestionAsked } from '../../schema/generated.js';
import { SluiceError } from '../domain/errors.js';

const continuation = Type.Object({
  question: Type.String(),
  flow: Type.String(),
  max_context_tokens: Type.Union([Type.Null(), Type.Number()]),
  turns: Type.Array(Type.Object({ role: Type.String(), text: Type.String() })),
});

/** What the answer needs of the question, carried through the retrieval: nobody waits for it, nobody keeps it. */
export type Continuation = Static<typeof continuation>;

export function writeContinuation({ question, flow, max_context_tokens, turns }: QuestionAsked): string {
  const carried: Continuation = { question, flow, max_context_tokens, turns };
  return JSON.stringify(carried);
}

/** Throws invalid-argument for anything that `writeContinuation` does not write. */
export function readContinuation(text: string | null): Continuation {
  const parsed = parse(text ?? 'null');
  if (Value.Check(continuation, parsed)) return parsed;
  throw new SluiceError('invalid-argument', 'the retrieval came back without the question that it was asked for');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
