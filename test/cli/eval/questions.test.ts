import { describe, expect, it } from 'vitest';
import { parseQuestions } from '../../../cli/eval/questions.js';
import { UsageError } from '../../../cli/usage-error.js';

const corpus = Array.from('The 🎈 rises at noon.');
const line = (change: Record<string, unknown> = {}): string =>
  JSON.stringify({
    id: 'q-1',
    question: 'What rises?',
    references: [{ text: '🎈 rises', start: 4, end: 11 }],
    ...change,
  });

describe('question files', () => {
  it('reads offsets as code points', () => {
    expect(parseQuestions('q.jsonl', `${line()}\n\n${line({ id: 'q-2' })}\n`, corpus).map((one) => one.id)).toEqual([
      'q-1',
      'q-2',
    ]);
  });

  it.each([
    [
      'text that the corpus does not hold there',
      line({ references: [{ text: 'rises 🎈', start: 4, end: 11 }] }),
      /line 1.*4…11/,
    ],
    ['a line that is not JSON', '{"id": ', /line 1 is not JSON/],
    ['a question without references', line({ references: [] }), /references/],
    ['a blank question', line({ question: '  ' }), /question/],
    ['no question at all', '\n', /no question/],
  ])('refuses %s', (_, jsonl, message) => {
    expect(() => parseQuestions('q.jsonl', jsonl, corpus)).toThrow(UsageError);
    expect(() => parseQuestions('q.jsonl', jsonl, corpus)).toThrow(message);
  });
});
