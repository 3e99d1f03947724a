import { describe, expect, it } from 'vitest';
import { messageTypes } from '../../schema/codec.js';
import { crc64Avro } from '../../schema/fingerprint.js';

describe('crc64Avro', () => {
  // From the Avro project's own test data, share/test/data/schema-tests.txt: signed 64-bit numbers.
  it.each([
    ['"null"', 7195948357588979594n],
    ['"boolean"', -6970731678124411036n],
    ['"int"', 8247732601305521295n],
    ['"long"', -3434872931120570953n],
    ['"float"', 5583340709985441680n],
    ['"double"', -8181574048448539266n],
    ['"bytes"', 5746618253357095269n],
    ['"string"', -8142146995180207161n],
    ['{"name":"foo","type":"record","fields":[]}', -4824392279771201922n],
  ])('is the fingerprint of %s in the Avro specification', (schema, fingerprint) => {
    expect(crc64Avro(schema).readBigInt64LE()).toBe(fingerprint);
  });

  it('differs between all messages', () => {
    const prints = [...messageTypes.values()].map((type) => crc64Avro(JSON.stringify(type.schema())).toString('hex'));
    expect(new Set(prints).size).toBe(messageTypes.size);
  });
});
