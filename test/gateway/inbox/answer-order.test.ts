import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { AnswerOrder } from '../../../gateway/inbox/answer-order.js';
import type { Reply } from '../../../schema/generated.js';

const reply = (attempt: string, index: number, kind = 'answer-part'): Reply => ({
  ...{ kind, attempt, index, text: kind === 'answer-part' ? `${attempt}${index}` : null },
  ...{ retrieval: null, answer: null, error: null },
});

/** The texts handed on, or `interrupted`. */
function run(order: AnswerOrder, replies: readonly Reply[]): string[] {
  const out: string[] = [];
  for (const each of replies) {
    const ordered = order.accept(each);
    if (ordered === 'interrupted') return [...out, 'interrupted'];
    out.push(...ordered.forward.map(({ text }) => text ?? 'end'));
  }
  return out;
}

describe('AnswerOrder', () => {
  it('hands on every part once and in order, however they come and however often', () => {
    const parts = [0, 1, 2, 3].map((index) => reply('a', index));
    const anyOrder = fc.shuffledSubarray([...parts, ...parts, ...parts], { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(anyOrder, (replies) => {
        expect(run(new AnswerOrder(false), [...replies, reply('a', 4, 'answer-end')])).toEqual([
          ...['a0', 'a1', 'a2', 'a3', 'end'],
        ]);
      }),
    );
  });

  it('holds the end back until the parts before it have come', () => {
    expect(run(new AnswerOrder(false), [reply('a', 1, 'answer-end'), reply('a', 0)])).toEqual(['a0', 'end']);
  });

  it('breaks off when a second attempt follows parts that went out', () => {
    expect(run(new AnswerOrder(false), [reply('a', 0), reply('b', 0)])).toEqual(['a0', 'interrupted']);
  });

  it('takes the second attempt when nothing of the first went out, and then drops what is left of the first', () => {
    const replies = [reply('a', 1), reply('b', 0), reply('a', 0), reply('b', 1, 'answer-end')];
    expect(run(new AnswerOrder(false), replies)).toEqual(['b0', 'end']);
  });

  it('takes any attempt for a reader who wants the end alone', () => {
    const replies = [reply('a', 0), reply('a', 1), reply('b', 0), reply('b', 1, 'answer-end')];
    expect(run(new AnswerOrder(true), replies)).toEqual(['a0', 'a1', 'b0', 'end']);
  });
});
