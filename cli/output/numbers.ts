/** 12,345: the same in every locale, as it stands in documentation. */
export const count = (value: number): string => Math.round(value).toLocaleString('en-US');

/** "1 document", "2 documents". */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** 1.4 MB, in powers of 1,000. */
export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let rest = value;
  while (rest >= 999.5 && unit < units.length - 1) {
    rest /= 1000;
    unit++;
  }
  return `${unit === 0 || rest >= 99.5 ? Math.round(rest) : rest.toFixed(1)} ${units[unit] ?? 'B'}`;
}

/** 0.4 s, 12 s, 3 min 20 s. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 120 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
