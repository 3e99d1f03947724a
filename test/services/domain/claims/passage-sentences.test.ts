import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passageSentences } from '../../../../services/domain/claims/passage-sentences.js';

const sentences = (text: string): string[] => passageSentences(text).map(({ start, end }) => text.slice(start, end));

describe('the sentences of a passage', () => {
  it('end at a full stop, question or exclamation mark before white space', () => {
    expect(sentences('It runs. Does it? It does! Version 7.3.2 too.')).toEqual([
      'It runs.',
      'Does it?',
      'It does!',
      'Version 7.3.2 too.',
    ]);
  });

  it('keep closing quotes', () => {
    expect(sentences('He said “It runs.” She left. (It was late.) So.')).toEqual([
      'He said “It runs.”',
      'She left.',
      '(It was late.)',
      'So.',
    ]);
  });

  it.each([
    'See e.g. the manual of the U.S. office, i.e. this one.',
    'Dr. Smith et al. met Mr. J. R. Jones of Acme Inc. at St. John’s, cf. fig. 3 vs. no. 4.',
  ])('do not end at an abbreviation: %s', (text) => {
    expect(sentences(text)).toEqual([text]);
  });

  it('run over the lines of a paragraph, not over paragraphs, items or rows', () => {
    const text = [
      'A line that\ngoes on.',
      '- first item\n  goes on\n- second item\n2) third',
      '> quoted\n> on',
      '| Name | Limit |\n| --- | ---: |\n| upload. | 512 MiB. |',
      'no stop',
    ].join('\n\n');
    expect(sentences(text)).toEqual([
      'A line that\ngoes on.',
      'first item\n  goes on',
      'second item',
      'third',
      'quoted\n> on',
      '| Name | Limit |',
      '| upload. | 512 MiB. |',
      'no stop',
    ]);
  });

  it('are none of headings, rules, code, and what has no letters', () => {
    const text =
      '# Title\n\nTitle\n=====\n\n---\n\n```js\nconst a = 1. b\n~~~\n```\n\n1234. 5678\n\n~~~\nopen to the end.';
    expect(sentences(text)).toEqual(['Title']);
  });

  it('are found in scripts with stops of their own', () => {
    expect(sentences('水は青い。空も青い！本当？')).toEqual(['水は青い。', '空も青い！', '本当？']);
    expect(sentences('यह पानी है। वह आग है।')).toEqual(['यह पानी है।', 'वह आग है।']);
    expect(sentences('هل هذا ماء؟ نعم، هذا ماء.')).toEqual(['هل هذا ماء؟', 'نعم، هذا ماء.']);
    expect(sentences('ይህ ውሃ ነው። ያ እሳት ነው።')).toEqual(['ይህ ውሃ ነው።', 'ያ እሳት ነው።']);
    expect(sentences('Это вода. А то огонь.')).toEqual(['Это вода.', 'А то огонь.']);
  });

  it('lie in order inside the text, without white space around them, whatever the text', () => {
    const word = fc.oneof(
      fc.constantFrom('. ', '\n', '\n\n', '- ', '| ', '```', '# ', '。', 'Dr. ', 'a b'),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.array(word).map((words) => words.join('')),
        (text) => {
          let from = 0;
          for (const { start, end } of passageSentences(text)) {
            expect(start).toBeGreaterThanOrEqual(from);
            expect(end).toBeGreaterThan(start);
            const sentence = text.slice(start, end);
            expect(sentence).toBe(sentence.trim());
            from = end;
          }
          expect(from).toBeLessThanOrEqual(text.length);
        },
      ),
    );
  });
});
