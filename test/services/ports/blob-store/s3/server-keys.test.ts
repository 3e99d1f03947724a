import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareBytes } from '../../../../../services/domain/identity.js';
import { keyOfServerKey, serverKey, serverPrefix } from '../../../../../services/ports/blob-store/s3/server-keys.js';

const character = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  fc.constantFrom(' ', '-', '.', '0', '~', '`', '\u0001', '\ufffd', '\ufffe', '\uffff', '\u{10000}', 'é'),
);
const part = fc
  .oneof(
    fc.array(character, { minLength: 1, maxLength: 6 }).map((all) => all.join('')),
    // Around the bytes at which a part is split.
    fc
      .tuple(fc.integer({ min: 236, max: 242 }), fc.array(character, { maxLength: 4 }))
      .map(([length, end]) => 'A'.repeat(length) + end.join('')),
  )
  .filter((text) => text !== '' && !/[/\0]|^\.{1,2}$|\p{Surrogate}/u.test(text));
const key = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));

describe('the names of keys on an S3 server', () => {
  it('are the keys themselves, almost always', () => {
    const usual = 'acme/packs/0af3/00000001';
    expect(serverKey('', usual)).toBe(usual);
    expect(serverKey('sluice/', 'acme/漢字/é.md')).toBe('sluice/acme/漢字/é.md');
  });

  it('come back as the keys they were made from', () => {
    fc.assert(fc.property(key, (one) => keyOfServerKey('p/', serverKey('p/', one)) === one));
  });

  it('stand in the order of the keys, and begin as they do', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(Math.sign(compareBytes(serverKey('', a), serverKey('', b)))).toBe(Math.sign(compareBytes(a, b)));
        for (const prefix of [a, `${a}/`, [...a].slice(0, -1).join('')]) {
          expect(serverKey('', b).startsWith(serverPrefix('', prefix))).toBe(b.startsWith(prefix));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('hold nothing that XML changes or file systems refuse', () => {
    fc.assert(
      fc.property(key, (one) => {
        const name = serverKey('', one);
        expect([...name].filter((one) => one < ' ' || one === '\ufffe' || one === '\uffff')).toEqual([]);
        for (const segment of name.split('/')) {
          expect(['', '.', '..']).not.toContain(segment);
          expect(Buffer.byteLength(segment)).toBeLessThanOrEqual(255);
        }
      }),
    );
    expect(serverKey('', `${'A'.repeat(240)}..`)).toBe(`${'A'.repeat(240)}-/-..`);
  });

  it('of objects that something else named are no keys', () => {
    for (const name of ['a b', 'a\ufffd', 'a//b', '/a', 'a/', 'A'.repeat(241), `${'A'.repeat(240)}-/b`]) {
      expect(keyOfServerKey('', name), name).toBeUndefined();
    }
    expect(keyOfServerKey('p/', 'q/a')).toBeUndefined();
  });

  it('are no longer than S3 takes', () => {
    expect(Buffer.byteLength(serverKey('', `a/${'b'.repeat(200)}/`.repeat(5) + 'c'.repeat(9)))).toBe(1_024);
    expect(() => serverKey('prefix/', 'a/'.repeat(510) + 'a')).toThrow(
      /takes 1028 bytes on an S3 server, which takes 1024/,
    );
  });
});
