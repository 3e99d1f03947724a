import type { Check } from './check.js';

/** The installation that each store which answered is marked with; undefined: a new one. */
export type FoundMarks = Map<string, string | undefined>;

/** Whether the stores belong to one installation. Nothing, where there are not two to compare. */
export function installationCheck(marks: FoundMarks): readonly Check[] {
  const name = 'installation';
  const found = [...marks].filter(([, id]) => id !== undefined);
  if (marks.size < 2) return [];
  if (new Set(found.map(([, id]) => id)).size > 1) {
    const detail = found.map(([store, id]) => `the ${store} belongs to installation ${id}`).join(', ');
    const advice = 'point all of them at the stores of one installation: nothing starts until they are';
    return [{ name, state: 'failed', detail, advice }];
  }
  const [first] = found;
  if (first === undefined) return [{ name, state: 'ok', detail: 'all stores are new' }];
  const unmarked = [...marks].filter(([, id]) => id === undefined).map(([store]) => `the ${store}`);
  if (unmarked.length === 0) return [{ name, state: 'ok', detail: `all stores belong to ${first[1]}` }];
  const detail = `installation ${first[1]}, but ${unmarked.join(' and ')} is new`;
  const advice = 'if documents were loaded before, put back what stood there; if not, the next start marks it';
  return [{ name, state: 'warning', detail, advice }];
}
