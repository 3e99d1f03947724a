import type { Sink } from './output.js';
import type { Style } from './style.js';
import { clip } from './wrap.js';

const redrawMs = 100;

/** A block of lines at the bottom of a terminal that is rewritten in place. */
export interface LiveLines {
  /** Writes above the block. */
  above(text: string): void;
  /** Draws the last state and leaves it standing. */
  stop(): void;
  /** Takes the block away. */
  clear(): void;
}

export function liveLines(sink: Sink, style: Style, render: () => readonly string[]): LiveLines {
  let drawn = 0;
  const erase = (): string => (drawn === 0 ? '' : `\u001b[${drawn}A\u001b[0J`);
  const draw = (above = ''): void => {
    const lines = render().map((line) => clip(line, style.width));
    sink.write(`${erase()}${above}${lines.map((line) => `${line}\n`).join('')}`);
    drawn = lines.length;
  };
  const timer = setInterval(draw, redrawMs);
  timer.unref();
  draw();
  return {
    above: (text) => draw(`${text}\n`),
    stop: () => {
      clearInterval(timer);
      draw();
    },
    clear: () => {
      clearInterval(timer);
      sink.write(erase());
    },
  };
}
