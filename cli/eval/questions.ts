import { Type, type Static } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { UsageError } from '../usage-error.js';

const questionSchema = Type.Object({
  id: Type.String(),
  question: Type.String({ pattern: '\\S' }),
  references: Type.Array(
    Type.Object({
      text: Type.String(),
      start: Type.Integer({ minimum: 0 }),
      end: Type.Integer({ minimum: 1 }),
    }),
    { minItems: 1 },
  ),
});

/** A question and the spans of its corpus that answer it: code points of the corpus file, `text` is that slice. */
export type Question = Static<typeof questionSchema>;

/**
 * One question a line of JSON, blank lines skipped. Every reference is held against the corpus text, so that a file
 * of another corpus, or of another edition of it, is refused instead of scoring badly.
 */
export function parseQuestions(file: string, jsonl: string, corpus: readonly string[]): Question[] {
  const questions: Question[] = [];
  for (const [index, line] of jsonl.split('\n').entries()) {
    if (line.trim() === '') continue;
    const where = `${file}, line ${index + 1}`;
    const question = parseLine(where, line);
    for (const reference of question.references) {
      if (corpus.slice(reference.start, reference.end).join('') !== reference.text) {
        throw new UsageError(
          `${where}: the reference at ${reference.start}…${reference.end} of question "${question.id}" is not what ` +
            'the corpus says there; give each --corpus the --questions written for it, in the same order',
        );
      }
    }
    questions.push(question);
  }
  if (questions.length === 0) throw new UsageError(`${file} holds no question: write one JSON object a line`);
  return questions;
}

function parseLine(where: string, line: string): Question {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (error) {
    throw new UsageError(`${where} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (Value.Check(questionSchema, parsed)) return parsed;
  const first = Value.Errors(questionSchema, parsed).First();
  throw new UsageError(
    `${where} is not a question ({"id", "question", "references": [{"text", "start", "end"}]}): ` +
      `${first?.path ?? '/'} ${first?.message ?? 'does not fit'}`,
  );
}
