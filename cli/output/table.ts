import { columns } from './wrap.js';

/** Aligned columns, two spaces apart: numbers to the right, all else to the left. The first row is the heading. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => columns(row[column] ?? ''))));
  const numeric = heading.map(
    (_, column) => rows.length > 0 && rows.every((row) => /^[-+]?[\d,. ]*%?$|^[-–]$/u.test(row[column] ?? '')),
  );
  return all
    .map((row) =>
      row
        .map((cell, column) => {
          const padding = ' '.repeat(Math.max(0, (widths[column] ?? 0) - columns(cell)));
          return numeric[column] === true ? padding + cell : cell + padding;
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
