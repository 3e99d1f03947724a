import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeMarkers, findMarkers, unescapeMarkers } from '../../../../services/domain/citations/markers.js';

const cited = (answer: string, passages = 3): number[][] =>
  findMarkers(answer, passages).map(({ ordinals }) => [...ordinals]);

describe('the citations of an answer', () => {
  it('are brackets of ordinals', () => {
    expect(cited('It runs [1]. It stops [2, 3][1].')).toEqual([[1], [2, 3], [1]]);
    expect(cited('[ 1 ,1,2 ]')).toEqual([[1, 2]]);
  });

  it('say where they stand', () => {
    expect(findMarkers('A [1] b', 1)).toEqual([{ start: 2, end: 5, ordinals: [1] }]);
  });

  it.each([
    '[0]',
    '[4]',
    '[1, 4]',
    '[1-3]',
    '[one]',
    '[]',
    '[1',
    '1]',
    '[-1]',
    '[1.5]',
    '[1,]',
    '[9999999]',
    '[[x] 1]',
  ])('are not %s, which stays as it is', (text) => {
    expect(cited(`Some ${text} words`)).toEqual([]);
  });

  it('are not in code, nor escaped', () => {
    expect(cited('`list[1]` and ``a ` [2]`` but [3]')).toEqual([[3]]);
    expect(cited('Before [1]\n```js\nlist[1] = [2];\n```\nafter [2]')).toEqual([[1], [2]]);
    expect(cited('~~~\n[1]')).toEqual([]);
    expect(cited('as \\[1] says [2]')).toEqual([[2]]);
    expect(cited('a lone ` tick [1]')).toEqual([[1]]);
    expect(cited('ticks ``` in a line [1]\nand on [2]')).toEqual([[1], [2]]);
  });

  it('cannot be made by a text that is escaped', () => {
    const text = fc.array(
      fc.oneof(fc.constantFrom('[', ']', '1', '2', ',', ' ', '\\', '`', '[1]', '\\[2]'), fc.string()),
    );
    fc.assert(
      fc.property(
        text.map((pieces) => pieces.join('')),
        (hostile) => {
          expect(findMarkers(escapeMarkers(hostile), 99)).toEqual([]);
        },
      ),
    );
  });

  it('comes back when unescaped', () => {
    const text = 'list[1], [ 2 , 3 ] and [x]';
    expect(escapeMarkers(text)).toBe('list\\[1], \\[ 2 , 3 ] and [x]');
    expect(unescapeMarkers(escapeMarkers(text))).toBe(text);
  });
});
