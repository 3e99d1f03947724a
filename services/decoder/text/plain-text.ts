import type { Block } from '../../domain/text.js';
import { BlockBuilder, type OpenBlock } from './block-builder.js';
import { splitLines, startLines, type LinesCarry } from './lines.js';

export interface PlainTextCarry {
  readonly format: 'text';
  readonly lines: LinesCarry;
  readonly open: OpenBlock | undefined;
}

export const startPlainText: PlainTextCarry = { format: 'text', lines: startLines, open: undefined };

/** Plain text: paragraphs between blank lines. */
export function decodePlainText(
  segment: string,
  carry: PlainTextCarry,
  final: boolean,
): { readonly blocks: readonly Block[]; readonly carry: PlainTextCarry } {
  const { lines, carry: rest } = splitLines(segment, carry.lines, final);
  const builder = new BlockBuilder(carry.open);
  for (const line of lines) {
    if (line.text.trim() === '' && !line.continued) builder.addBlank(line);
    else if (builder.open?.blank === true && !line.continued) builder.begin('paragraph', line.text);
    else builder.add(line);
  }
  if (final) builder.end();
  return { blocks: builder.blocks, carry: { format: 'text', lines: rest, open: builder.open } };
}
