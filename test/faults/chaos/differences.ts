import { expect } from 'vitest';

/** A run has thousands of rows, blobs and points: of what differs, the first few are shown. */
export function expectSame(found: unknown, wanted: unknown): void {
  const all = differences(found, wanted);
  expect(all.slice(0, 20), `${all.length} differences`).toEqual([]);
}

/** Where two values differ, each with its path and both sides, shortened; empty when they are equal. */
function differences(found: unknown, wanted: unknown, path = ''): readonly string[] {
  if (!isRecord(found) || !isRecord(wanted)) {
    const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)];
    return left === right ? [] : [`${path}: ${shortened(left)}, not ${shortened(right)}`];
  }
  return [...new Set([...Object.keys(found), ...Object.keys(wanted)])].flatMap((name) =>
    differences(found[name], wanted[name], `${path}/${name}`),
  );
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const shortened = (text: string | undefined): string => (text ?? 'nothing').slice(0, 200);
