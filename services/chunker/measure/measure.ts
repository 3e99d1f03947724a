/** Sizes of stretches of one text, in one unit. */
export interface Measure {
  /** The size of `text.slice(start, end)` by itself; both are UTF-16 positions, and the stretch ends in no space. */
  count(start: number, end: number): number;
}
