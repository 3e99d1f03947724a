import { safeLine } from './safe-text.js';

/** What `explain` says of a hit or a search, one line a fact, whatever the server chooses to tell. */
export function explanationOf(explain: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(explain)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${safeLine(name.replaceAll('_', ' '))}: ${inWords(value)}`);
}

function inWords(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : value.toFixed(4);
  if (typeof value === 'string') return safeLine(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(inWords).join(', ');
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .filter(([, part]) => part !== null && part !== undefined)
      .map(([name, part]) => `${safeLine(name.replaceAll('_', ' '))} ${inWords(part)}`)
      .join(', ');
  }
  return String(value);
}
