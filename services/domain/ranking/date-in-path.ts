const dayMs = 86_400_000;

/** The rightmost `2024-05-31` (or with `_` or `/`) of a path, else the Monday of its rightmost `2024-W22`; UTC. */
export function dateInPath(path: string): Date | undefined {
  const days = [...path.matchAll(/(?<!\d)(\d{4})[-_/](\d{2})[-_/](\d{2})(?!\d)/g)].map(([, year, month, day]) =>
    calendarDay(Number(year), Number(month), Number(day)),
  );
  const weeks = [...path.matchAll(/(?<!\d)(\d{4})-W(\d{2})(?!\d)/g)].map(([, year, week]) =>
    mondayOf(Number(year), Number(week)),
  );
  const real = (date: Date | undefined): date is Date => date !== undefined;
  return days.filter(real).at(-1) ?? weeks.filter(real).at(-1);
}

/** Undefined for the 31st of February. */
function calendarDay(year: number, month: number, day: number): Date | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date : undefined;
}

/** ISO 8601: week 1 is the one that holds the 4th of January. */
function mondayOf(year: number, week: number): Date | undefined {
  if (week < 1 || week > 53) return undefined;
  const fourth = Date.UTC(year, 0, 4);
  const weekday = (new Date(fourth).getUTCDay() + 6) % 7;
  return new Date(fourth + ((week - 1) * 7 - weekday) * dayMs);
}
