import type { Block, BlockKind } from '../../domain/text.js';
import type { Line } from './lines.js';

/** The most UTF-16 units of one block; a longer one is handed on in pieces. */
const longestBlock = 65_536;

/** The block that is being read: plain data. */
export interface OpenBlock {
  kind: BlockKind;
  level?: number;
  title?: string;
  readonly continued?: true;
  readonly lines: string[];
  /** The length of all lines. */
  units: number;
  /** Whether its last line is blank. */
  blank: boolean;
}

/** Collects lines into blocks of bounded size. */
export class BlockBuilder {
  readonly blocks: Block[] = [];

  open: OpenBlock | undefined;

  constructor(open: OpenBlock | undefined) {
    this.open = open === undefined ? undefined : { ...open, lines: [...open.lines] };
  }

  /** Ends the open block and begins another. */
  begin(kind: BlockKind, text: string, heading?: { readonly level: number; readonly title: string }): void {
    this.end();
    this.open = { kind, lines: [text], units: text.length, blank: false, ...heading };
  }

  /** Adds a line to the open block; one that has become too long goes on in a further piece. */
  add(line: Line, blank = false): void {
    const { open } = this;
    if (open === undefined) this.begin('paragraph', line.text);
    else if (open.units + line.text.length > longestBlock) {
      this.end();
      this.open = { kind: open.kind, continued: true, lines: [line.text], units: line.text.length, blank: false };
    } else {
      open.lines.push(line.text);
      open.units += line.text.length;
    }
    if (this.open !== undefined) this.open.blank = blank;
  }

  /** Adds a blank line to the open block; before the first block, blank lines are a block of their own. */
  addBlank(line: Line): void {
    this.add(line, true);
  }

  end(): void {
    if (this.open === undefined) return;
    const { kind, lines, level, title, continued } = this.open;
    this.blocks.push({
      kind,
      text: lines.join(''),
      ...(level === undefined ? {} : { level }),
      ...(title === undefined ? {} : { title }),
      ...(continued === undefined ? {} : { continued }),
    });
    this.open = undefined;
  }
}
