/** The parts of avsc's read and write cursor that our array types need. */
export interface Tap {
  buf: Buffer;
  pos: number;
  readLong(): number;
  skipLong(): void;
  writeLong(value: number): void;
}
