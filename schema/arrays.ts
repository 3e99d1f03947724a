import avsc from 'avsc';
import { FloatVectorType } from './vectors.js';
import type { Tap } from './tap.js';

interface ItemReader {
  _read(tap: Tap): unknown;
}

/**
 * Avro arrays whose item counts are checked against the bytes that are left: avsc's own type would make room for, and
 * loop over, whatever number a few broken bytes say.
 */
class BoundedArrayType extends avsc.types.ArrayType {
  _read(tap: Tap): unknown[] {
    const items = this.itemsType as unknown as ItemReader;
    const values: unknown[] = [];
    for (let count = tap.readLong(); count !== 0; count = tap.readLong()) {
      if (count < 0) {
        count = -count;
        tap.skipLong();
      }
      if (!(count <= tap.buf.length - tap.pos)) {
        tap.pos = tap.buf.length + 1; // avsc reports the truncation
        return values;
      }
      for (let index = 0; index < count; index++) values.push(items._read(tap));
    }
    return values;
  }
}

/** An avsc type hook: `array<float>` is a FloatVectorType, other arrays are bounded, everything else stays avsc's own. */
export function arrayTypes(schema: unknown, options: avsc.ForSchemaOptions): avsc.Type | undefined {
  const { type, items } = schema as { type?: unknown; items?: unknown };
  if (type !== 'array') return undefined;
  return items === 'float'
    ? new FloatVectorType({ type: 'array', items: 'float' }, options)
    : new BoundedArrayType(schema as avsc.schema.ArrayType, options);
}
