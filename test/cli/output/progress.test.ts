import { afterEach, describe, expect, it, vi } from 'vitest';
import { liveLines } from '../../../cli/output/live-lines.js';
import { answerWriter } from '../../../cli/output/answer.js';
import { outputTo } from '../../../cli/output/output.js';
import { explanationOf } from '../../../cli/output/explain.js';
import { excerpt, nameOf, placeOf } from '../../../cli/output/sources.js';
import { styleOf } from '../../../cli/output/style.js';
import { plainLine, stages } from '../../../cli/load/progress-lines.js';

const progress = {
  ...{ found: 1_204, foundAll: true, sent: 1_204, sentBytes: 3_400_000, chunked: 1_100, chunks: 9_876 },
  ...{ ready: 980, unchanged: 10, failed: 2 },
};

afterEach(() => {
  vi.useRealTimers();
});

describe('the progress of a load', () => {
  it('is one line a stage, with counts and rates', () => {
    expect(stages(progress, 10)).toEqual([
      '  sent         1,204 files  3.4 MB             120 files/s',
      '  chunked      1,100 files  9,876 chunks       988 chunks/s',
      '  done           992 of 1,204  10 unchanged  2 failed 98 files/s',
    ]);
  });

  it('is one plain line where there is no terminal', () => {
    expect(plainLine({ ...progress, foundAll: false }, 12)).toBe(
      '12 s: 1,204 sent (3.4 MB), 1,100 chunked (9,876 chunks), 980 ready, 10 unchanged, 2 failed',
    );
  });

  it('is drawn in place, with remarks above it', () => {
    vi.useFakeTimers();
    const written: string[] = [];
    let at = 1;
    const lines = liveLines({ write: (text) => written.push(text) }, styleOf({ isTTY: true }, {}), () => [
      `at ${at}`,
      '.',
    ]);
    at = 2;
    vi.advanceTimersByTime(100);
    lines.above('remark');
    lines.stop();
    vi.advanceTimersByTime(1_000);
    expect(written).toEqual([
      'at 1\n.\n',
      '\u001b[2A\u001b[0Jat 2\n.\n',
      '\u001b[2A\u001b[0Jremark\nat 2\n.\n',
      '\u001b[2A\u001b[0Jat 2\n.\n',
    ]);
  });
});

describe('an answer on a terminal', () => {
  it('is broken at spaces while it comes, whatever its pieces are', () => {
    let shown = '';
    const stdout = { isTTY: true, columns: 40, write: (text: string) => (shown += text) };
    const writer = answerWriter(outputTo(stdout, stdout, false, { NO_COLOR: '1' }));
    for (const piece of ['one two three four five six seven ei', 'ght nine', ' ten.\nNext', '\u001b[31m [1]']) {
      writer.write(piece);
    }
    writer.end();
    expect(shown).toBe('one two three four five six seven eight\nnine ten.\nNext [1]\n');
  });
});

describe('where something was found', () => {
  const style = styleOf({}, {});
  const place = {
    document_id: 'd-1',
    source: 'file:///docs/a%20b/pump.md',
    title: 'Pump',
    heading_path: ['A', ' ', 'B'],
  };

  it('is a path seen from here, a URL, or else a title', () => {
    expect(nameOf(place, '/docs')).toBe('a b/pump.md');
    expect(nameOf(place, '/else')).toBe('/docs/a b/pump.md');
    expect(nameOf({ ...place, source: 'https://x/y' }, '/')).toBe('https://x/y');
    expect(nameOf({ ...place, source: '' }, '/')).toBe('Pump');
    expect(nameOf({ ...place, source: '', title: null }, '/')).toBe('d-1');
    expect(placeOf(place, '/docs', style)).toBe('a b/pump.md › A › B');
  });

  it('is quoted on a few lines', () => {
    const narrow = styleOf({ columns: 40 }, {});
    const quote = excerpt('word '.repeat(40), narrow, '    ', 2);
    expect(quote.split('\n')).toHaveLength(2);
    expect(quote.endsWith('…')).toBe(true);
    expect(excerpt('short', narrow, '  ', 2)).toBe('  short');
  });

  it('is explained in words', () => {
    expect(
      explanationOf({
        vector: { rank: 3, score: 0.4123, contribution: 0.2 },
        lexical: { rank: 1, score: 12.3456, contribution: 0.7, terms: ['pump', 'start'] },
        place_before_ranking: 2,
        ranking: null,
        liveness: { version: 4, live_since: null },
      }),
    ).toEqual([
      'vectors: rank 3, score 0.412, gives 0.200',
      'words: rank 1, score 12.346, gives 0.700 (pump, start)',
      'place before ranking: 2',
      'liveness: version 4',
    ]);
    expect(explanationOf({ vector: null })).toEqual(['vectors: not among its candidates']);
  });
});
