import type { Block } from '../../domain/text.js';
import { BlockBuilder } from '../text/block-builder.js';
import { splitLines, startLines } from '../text/lines.js';
import { collapsed } from './dom.js';

interface Item {
  readonly marker: string;
  written: boolean;
}

const longestTitle = 512;

/** Collects running text into Markdown-like blocks: `#` headings, `-` and `1.` items, pipe tables, fenced code. */
export class BlockWriter {
  readonly #builder = new BlockBuilder(undefined);
  #inline: string[] = [];
  readonly #items: Item[] = [];
  readonly #lists: { readonly ordered: boolean; number: number }[] = [];

  text(text: string): void {
    this.#inline.push(collapsed(text));
  }

  lineBreak(): void {
    this.#inline.push('\n');
  }

  beginList(ordered: boolean, start: number): void {
    this.flush();
    this.#lists.push({ ordered, number: start });
  }

  endList(): void {
    this.flush();
    this.#lists.pop();
  }

  beginItem(): void {
    this.flush();
    const list = this.#lists.at(-1);
    this.#items.push({ marker: list?.ordered === true ? `${list.number++}. ` : '- ', written: false });
  }

  endItem(): void {
    this.flush();
    this.#items.pop();
  }

  /** Ends a paragraph or item with the text so far. */
  flush(): void {
    const content = this.#take();
    if (content === '') return;
    const item = this.#items.at(-1);
    if (item === undefined) return this.#write('paragraph', content);
    const indent = '  '.repeat(Math.min(this.#items.length - 1, 8));
    const marker = item.written ? ' '.repeat(item.marker.length) : item.marker;
    item.written = true;
    this.#write('list', `${indent}${marker}${content.replaceAll('\n', `\n${indent}  `)}`);
  }

  heading(level: number): void {
    const title = this.#take().replaceAll('\n', ' ');
    if (title === '') return;
    if (title.length > longestTitle) return this.#write('paragraph', title);
    this.#write('heading', `${'#'.repeat(level)} ${title}`, { level, title });
  }

  code(content: string, language: string): void {
    const code = content.replace(/^\n/, '').trimEnd();
    if (code.trim() === '') return;
    const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((run) => run.length));
    const fence = '`'.repeat(Math.min(longest + 1, 64));
    this.#write('code', `${fence}${language}\n${code}\n${fence}`);
  }

  table(rows: string): void {
    this.#write('table', rows);
  }

  /** All blocks: a blank line between them, none between the items of a list, one newline at the end. */
  end(): readonly Block[] {
    this.flush();
    this.#builder.end();
    const { blocks } = this.#builder;
    return blocks.map((block, index) => {
      const next = blocks[index + 1];
      if (next === undefined) return { ...block, text: `${block.text}\n` };
      if (next.continued === true) return block;
      return { ...block, text: `${block.text}${block.kind === 'list' && next.kind === 'list' ? '\n' : '\n\n'}` };
    });
  }

  #take(): string {
    const content = this.#inline
      .join('')
      .replace(/ *\n */g, '\n')
      .replace(/ {2,}/g, ' ')
      .trim();
    this.#inline = [];
    return content;
  }

  #write(kind: Block['kind'], content: string, heading?: { readonly level: number; readonly title: string }): void {
    splitLines(content, startLines, true).lines.forEach((line, index) => {
      if (index === 0) this.#builder.begin(kind, line.text, heading);
      else this.#builder.add(line);
    });
  }
}
