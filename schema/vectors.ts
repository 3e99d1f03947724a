import avsc from 'avsc';
import type { Tap } from './tap.js';

/**
 * Avro `array<float>` as a Float32Array: copied as one run of little-endian bytes, where avsc's own array type
 * reads and writes number by number (64 vectors of 384 floats: about 0.1 ms instead of 1 ms).
 */
export class FloatVectorType extends avsc.types.ArrayType {
  _check(value: unknown): boolean {
    return value instanceof Float32Array;
  }

  _read(tap: Tap): Float32Array {
    let vector = new Float32Array(0);
    for (let count = tap.readLong(); count !== 0; count = tap.readLong()) {
      if (count < 0) {
        count = -count;
        tap.skipLong();
      }
      const end = tap.pos + 4 * count;
      if (count > tap.buf.length || end > tap.buf.length) {
        tap.pos = tap.buf.length + 1; // avsc reports the truncation
        return vector;
      }
      const joined = new Float32Array(vector.length + count);
      joined.set(vector);
      new Uint8Array(joined.buffer, 4 * vector.length).set(tap.buf.subarray(tap.pos, end));
      tap.pos = end;
      vector = joined;
    }
    return vector;
  }

  _write(tap: Tap, vector: Float32Array): void {
    if (vector.length > 0) {
      tap.writeLong(vector.length);
      const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
      if (tap.pos + bytes.length <= tap.buf.length) tap.buf.set(bytes, tap.pos);
      tap.pos += bytes.length; // past the buffer's end avsc writes again with room enough
    }
    tap.writeLong(0);
  }
}
