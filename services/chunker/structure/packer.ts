import type { ChunkerSpec } from '../../domain/chunker-spec.js';
import { dropSpaces } from '../boundaries/spaces.js';
import { measureText } from '../measure/measure-text.js';
import type { Measure } from '../measure/measure.js';
import { windows } from '../windows.js';
import { joined, pieceOf, type Piece } from './piece.js';
import type { Divisible } from './parts.js';

/** A chunk of less than this share of the size is a crumb, to be merged or evened out if it can be. */
const crumbShare = 0.1;

/**
 * Fills chunks greedily with parts in their order, dividing only what no chunk can hold. The last closed piece is held
 * back, so that a crumb after it can be evened out with it.
 */
export class Packer {
  current: Piece | undefined;
  held: Piece | undefined;
  private readonly leadSizes = new Map<string, number>();

  constructor(
    private readonly text: string,
    private readonly measure: Measure,
    private readonly spec: ChunkerSpec,
    private readonly emit: (piece: Piece) => void,
  ) {}

  place(part: Divisible): void {
    const { current } = this;
    if (current !== undefined && this.fits(current.lead, current.start, part.end)) {
      this.current = joined(current, part);
    } else if (this.fits(part.lead, part.start, part.end)) {
      if (this.canClose() || !this.share(part)) {
        this.close();
        this.current = pieceOf(part);
      }
    } else {
      const finer = part.divide();
      if (finer.length === 0) this.placeWindows(part);
      else {
        if (part.whole && this.canClose()) this.close();
        for (const piece of finer) this.place(piece);
      }
    }
  }

  /** Closes the current piece unless it is a crumb that only what follows can help. */
  settle(): void {
    if (this.canClose()) this.close();
  }

  finish(): void {
    if (this.current !== undefined) this.evenOut(this.current);
    this.close();
    if (this.held !== undefined) this.emit(this.held);
    this.held = undefined;
  }

  size(start: number, end: number): number {
    return this.measure.count(start, end);
  }

  /** What a repeated lead takes of a chunk; one that takes more than half is not repeated. */
  repeated(lead: string): string {
    return this.leadSize(lead) * 2 > this.spec.size ? '' : lead;
  }

  private fits(lead: string, start: number, end: number): boolean {
    return this.leadSize(lead) + this.measure.count(start, end) <= this.spec.size;
  }

  private leadSize(lead: string): number {
    if (lead === '') return 0;
    const known = this.leadSizes.get(lead);
    if (known !== undefined) return known;
    // A slash after a line end joins the token before it: counted with one, a lead is never larger than this.
    const probe = this.spec.tokenizer === 'o200k_base' ? `${lead}/` : lead;
    const size = measureText(this.spec.tokenizer, probe, 0).count(0, probe.length);
    this.leadSizes.set(lead, size);
    return size;
  }

  private isCrumb(piece: Piece): boolean {
    return this.leadSize(piece.lead) + this.measure.count(piece.start, piece.end) < this.spec.size * crumbShare;
  }

  private canClose(): boolean {
    const { current } = this;
    return current === undefined || !this.isCrumb(current) || (current.heading !== 'only' && this.evenOut(current));
  }

  private close(): void {
    if (this.current === undefined) return;
    if (this.held !== undefined) this.emit(this.held);
    this.held = this.current;
    this.current = undefined;
  }

  /** Moves the bound between the held piece and a crumb to where both are nearest to equal. */
  private evenOut(crumb: Piece): boolean {
    const { held } = this;
    if (held === undefined || !this.isCrumb(crumb) || held.lead !== '' || crumb.lead !== '' || held.end > crumb.start) {
      return false;
    }
    let best = this.spec.size * crumbShare;
    let bound: number | undefined;
    for (const cut of held.cuts.slice(1)) {
      const left = this.measure.count(held.start, dropSpaces(this.text, held.start, cut));
      const right = this.measure.count(cut, crumb.end);
      if (right <= this.spec.size && Math.min(left, right) >= best) {
        best = Math.min(left, right);
        bound = cut;
      }
    }
    if (bound === undefined) return false;
    const at = bound;
    this.current = {
      ...joined(held, crumb),
      start: at,
      cuts: [...held.cuts.filter((cut) => cut >= at), ...crumb.cuts],
      heading: crumb.heading === 'only' ? 'last' : crumb.heading,
    };
    this.held = {
      ...held,
      end: dropSpaces(this.text, held.start, at),
      cuts: held.cuts.filter((cut) => cut < at),
      heading: 'none',
    };
    return true;
  }

  /** Splits a part that fits alone, but not behind the crumb before it, so that crumb and part fill two even chunks. */
  private share(part: Divisible): boolean {
    const { current } = this;
    if (current === undefined || part.whole) return false;
    const finer = part.divide();
    const half = this.measure.count(current.start, part.end) / 2;
    let count = 0;
    let nearest = Infinity;
    finer.slice(0, -1).forEach((piece, index) => {
      const size = this.measure.count(current.start, piece.end);
      const next = finer[index + 1];
      if (size > this.spec.size || piece.heading === 'only' || next?.lead !== '') return;
      if (Math.abs(size - half) < nearest) {
        nearest = Math.abs(size - half);
        count = index + 1;
      }
    });
    const first = finer[count];
    if (count === 0 || first === undefined) return false;
    this.current = finer.slice(0, count).reduce(joined, current);
    this.close();
    this.current = finer.slice(count + 1).reduce(joined, pieceOf(first));
    return true;
  }

  private placeWindows(part: Divisible): void {
    let { start, path, lead } = part;
    const { current } = this;
    if (!this.canClose() && current?.lead === '' && lead === '') {
      start = current.start;
      path = joined(current, part).path;
      this.current = undefined;
    }
    const size = this.spec.size - this.leadSize(part.windowLead);
    const overlap = Math.min(this.spec.overlap, size - 1);
    for (const window of windows(this.text, { start, end: part.end }, this.measure, { size, overlap })) {
      this.close();
      this.current = { ...window, path, lead, page: part.page, heading: 'none', cuts: [] };
      lead = part.windowLead;
    }
  }
}
