import { liveLines } from '../output/live-lines.js';
import { bytes, count } from '../output/numbers.js';
import type { Output } from '../output/output.js';
import type { LoadProgress } from './run-load.js';

const plainEveryMs = 5_000;

/** Shows a load's progress on stderr: one line a stage, rewritten on a terminal; elsewhere a line now and then. */
export function showProgress(output: Output, progress: () => LoadProgress): { note(text: string): void; stop(): void } {
  const began = performance.now();
  const seconds = (): number => Math.max(0.001, (performance.now() - began) / 1000);
  if (output.err.interactive) {
    const lines = liveLines(output.stderr, output.err, () => stages(progress(), seconds()));
    return { note: (text) => lines.above(text), stop: () => lines.stop() };
  }
  const timer = setInterval(() => output.note(plainLine(progress(), seconds())), plainEveryMs);
  timer.unref();
  return { note: (text) => output.note(text), stop: () => clearInterval(timer) };
}

const rate = (value: number, seconds: number, unit: string): string =>
  value === 0 ? '' : `${value / seconds < 10 ? (value / seconds).toFixed(1) : count(value / seconds)} ${unit}/s`;

/** One line for each stage that a document goes through: how many, how much, how fast. */
export function stages(at: LoadProgress, seconds: number): string[] {
  const total = at.foundAll ? ` of ${count(at.found)}` : '';
  const line = (stage: string, value: number, what: string, speed: string): string =>
    `  ${stage.padEnd(9)}${count(value).padStart(9)}${what.padEnd(26)} ${speed}`.trimEnd();
  return [
    line('sent', at.sent, ` files  ${bytes(at.sentBytes)}`, rate(at.sent, seconds, 'files')),
    line('chunked', at.chunked, ` files  ${count(at.chunks)} chunks`, rate(at.chunks, seconds, 'chunks')),
    line(
      'done',
      at.ready + at.unchanged + at.failed,
      `${total}${at.unchanged > 0 ? `  ${count(at.unchanged)} unchanged` : ''}${at.failed > 0 ? `  ${count(at.failed)} failed` : ''}`,
      rate(at.ready, seconds, 'files'),
    ),
  ];
}

/** The same as one line, for logs. */
export const plainLine = (at: LoadProgress, seconds: number): string =>
  `${count(seconds)} s: ${count(at.sent)} sent (${bytes(at.sentBytes)}), ${count(at.chunked)} chunked ` +
  `(${count(at.chunks)} chunks), ${count(at.ready)} ready, ${count(at.unchanged)} unchanged, ${count(at.failed)} failed` +
  (at.foundAll ? ` of ${count(at.found)}` : '');
