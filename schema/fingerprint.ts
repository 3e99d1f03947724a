const empty = 0xc15d213aa4d7a795n;

const table = Array.from({ length: 256 }, (_, index) => {
  let value = BigInt(index);
  for (let bit = 0; bit < 8; bit++) value = (value >> 1n) ^ (value & 1n ? empty : 0n);
  return value;
});

/**
 * CRC-64-AVRO of a schema in Parsing Canonical Form, as the 8 little-endian bytes of single-object encoding
 * (Avro 1.11 specification, "Schema Fingerprints").
 */
export function crc64Avro(canonicalSchema: string): Buffer {
  let value = empty;
  for (const byte of Buffer.from(canonicalSchema, 'utf8')) {
    value = (value >> 8n) ^ (table[Number((value ^ BigInt(byte)) & 0xffn)] ?? 0n);
  }
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
