import { attribute, collapsed, elementsNamed, isElement, walk, type Element, type Node } from './dom.js';

const mostColumns = 200;
const mostRowSpan = 500;

/**
 * A table of data as a pipe table, its first row the header; merged cells keep their columns, and a cell that spans
 * rows is repeated. Undefined for tables that only lay out a page.
 */
export function pipeTable(table: Element, isDropped: (element: Element) => boolean): string | undefined {
  if (attribute(table, 'role') === 'presentation' || elementsNamed(table, 'table').length > 1) return undefined;
  const rows = cellsOf(table, isDropped);
  const columns = Math.max(0, ...rows.map((row) => row.length));
  if (columns < 2 || rows.length < 2) return undefined;
  const lines = rows.map((row) => {
    const cells = Array.from({ length: columns }, (_, index) => row[index] ?? '');
    return `| ${cells.join(' | ')} |`;
  });
  lines.splice(1, 0, `|${' --- |'.repeat(columns)}`);
  return lines.join('\n');
}

function cellsOf(table: Element, isDropped: (element: Element) => boolean): string[][] {
  const rows: string[][] = [];
  /** By column: what reaches down from the rows above, and how many rows further. */
  let spans: ({ readonly text: string; rows: number } | undefined)[] = [];
  for (const row of elementsNamed(table, 'tr')) {
    const cells: string[] = [];
    const takeSpans = (): void => {
      for (let span = spans[cells.length]; span !== undefined && span.rows > 0; span = spans[cells.length]) {
        span.rows--;
        cells.push(span.text);
      }
    };
    const next = [...spans];
    for (const cell of row.childNodes) {
      if (!isElement(cell) || (cell.tagName !== 'td' && cell.tagName !== 'th')) continue;
      takeSpans();
      const text = cellText(cell, isDropped);
      const down = span(cell, 'rowspan', mostRowSpan) - 1;
      const across = Math.min(span(cell, 'colspan', mostColumns), mostColumns - cells.length);
      for (let column = 0; column < across; column++) {
        const content = column === 0 ? text : '';
        next[cells.length] = down > 0 ? { text: content, rows: down } : undefined;
        cells.push(content);
      }
    }
    takeSpans();
    spans = next;
    if (cells.some((cell) => cell !== '')) rows.push(cells);
  }
  return rows;
}

function span(cell: Element, name: string, most: number): number {
  const value = Number(attribute(cell, name) ?? '1');
  return Number.isInteger(value) && value >= 1 ? Math.min(value, most) : 1;
}

function cellText(cell: Node, isDropped: (element: Element) => boolean): string {
  const parts: string[] = [];
  walk(cell, (node) => {
    if (node.nodeName === '#text' && 'value' in node) parts.push(node.value);
    if (!isElement(node)) return false;
    if (isDropped(node)) return false;
    if (/^(?:br|p|div|li|ul|ol|pre|h[1-6])$/.test(node.tagName)) parts.push(' ');
    return true;
  });
  return collapsed(parts.join('')).trim().replace(/\|/g, '\\|');
}
