import type { Block, BlockKind } from '../../domain/text.js';
import type { Line } from './lines.js';

/** The most UTF-16 units of one block; a longer one is handed on in pieces. */
const longestBlock = 65_536;

/** The block that is being read: plain data. */
export interface OpenBlock {
  readonly kind: BlockKind;
  readonly text: string;
  readonly level?: number;
  readonly title?: string;
  readonly continued?: true;
  /** Lines that are not blank. */
  readonly lines: number;
  /** Where the last line that is not blank begins. */
  readonly lastLine: number;
  /** Whether blank lines came after it. */
  readonly blank: boolean;
}

/** Collects lines into blocks of bounded size. */
export class BlockBuilder {
  readonly blocks: Block[] = [];

  constructor(public open: OpenBlock | undefined) {}

  /** Ends the open block and begins another. */
  begin(kind: BlockKind, text: string, heading?: { readonly level: number; readonly title: string }): void {
    this.end();
    this.open = { kind, text, lines: 1, lastLine: 0, blank: false, ...heading };
  }

  /** Adds a line to the open block; one that has become too long goes on in a further piece. */
  add(line: Line): void {
    const { open } = this;
    if (open === undefined) return this.begin('paragraph', line.text);
    if (open.text.length + line.text.length > longestBlock) {
      this.end();
      this.open = { kind: open.kind, text: line.text, continued: true, lines: 1, lastLine: 0, blank: false };
    } else {
      this.open = {
        ...open,
        text: open.text + line.text,
        lines: open.lines + 1,
        lastLine: open.text.length,
        blank: false,
      };
    }
  }

  /** Adds a blank line to the open block, or begins a block of its own before the first. */
  addBlank(line: Line): void {
    const { open } = this;
    if (open === undefined) {
      this.begin('paragraph', line.text);
      if (this.open !== undefined) this.open = { ...this.open, blank: true };
    } else if (open.text.length + line.text.length > longestBlock) {
      this.add(line);
      if (this.open !== undefined) this.open = { ...this.open, blank: true };
    } else {
      this.open = { ...open, text: open.text + line.text, blank: true };
    }
  }

  end(): void {
    if (this.open === undefined) return;
    const { kind, text, level, title, continued } = this.open;
    this.blocks.push({
      kind,
      text,
      ...(level === undefined ? {} : { level }),
      ...(title === undefined ? {} : { title }),
      ...(continued === undefined ? {} : { continued }),
    });
    this.open = undefined;
  }
}
