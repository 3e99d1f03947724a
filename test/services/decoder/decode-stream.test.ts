import { afterAll, describe, expect, it } from 'vitest';
import type { BlockLine, DecodedSummary } from '../../../services/domain/decoded-text.js';
import { decodeStream, type DecodeLimits } from '../../../services/decoder/decode-stream.js';
import type { Hints } from '../../../services/decoder/sniff/format.js';
import { closeWorkers } from '../../../services/runtime/workers/pool.js';

afterAll(closeWorkers);

interface Result extends DecodedSummary {
  readonly text: string;
  readonly lines: readonly BlockLine[];
}

const limits: DecodeLimits = { timeoutMs: 20_000, maxWholeBytes: 1 << 20 };

async function decodeBytes(
  bytes: Buffer,
  hints: Partial<Hints> = {},
  chunkBytes = 65_536,
  within = limits,
): Promise<Result> {
  const open = async () =>
    (async function* () {
      for (let at = 0; at < bytes.length; at += chunkBytes) yield Buffer.from(bytes.subarray(at, at + chunkBytes));
    })();
  const text: Buffer[] = [];
  const lines: BlockLine[] = [];
  let summary: DecodedSummary | undefined;
  for await (const piece of decodeStream(open, { contentType: null, source: null, ...hints }, within)) {
    text.push(Buffer.from(piece.text));
    if (piece.summary === undefined) {
      for (const line of Buffer.from(piece.lines).toString().split('\n'))
        if (line !== '') lines.push(JSON.parse(line) as BlockLine);
    } else summary = piece.summary;
  }
  if (summary === undefined) throw new Error('no summary');
  return { ...summary, text: Buffer.concat(text).toString(), lines };
}

const french = 'L’été déjà vu, où naïveté et cœur brûlent à Noël. '.repeat(20);
const latin = 'Une journée d\u00e9j\u00e0 tr\u00e8s longue \u00e0 No\u00ebl, o\u00f9 la for\u00eat br\u00fble. '.repeat(
  20,
);
const encode16 = (text: string, bigEndian: boolean): Buffer => {
  const bytes = Buffer.from(text, 'utf16le');
  return bigEndian ? bytes.swap16() : bytes;
};

describe('the encoding', () => {
  it.each([
    ['UTF-8', Buffer.from(french), 'utf-8', 'utf-8'],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${french}`), 'utf-8', 'bom'],
    ['UTF-16 little-endian', encode16(`\ufeff${french}`, false), 'utf-16le', 'bom'],
    ['UTF-16 big-endian', encode16(`\ufeff${french}`, true), 'utf-16be', 'bom'],
    ['UTF-16 without a mark', encode16(french, false), 'utf-16le', 'detected'],
    ['big-endian UTF-16 without a mark', encode16(french, true), 'utf-16be', 'detected'],
  ])('%s is told', async (_, bytes, encoding, source) => {
    for (const chunkBytes of [7, 65_536]) {
      expect(await decodeBytes(bytes, {}, chunkBytes)).toMatchObject({
        text: french,
        encoding,
        encoding_source: source,
        code_points: [...french].length,
      });
    }
  });

  it('of the Windows world is detected', async () => {
    const decoded = await decodeBytes(Buffer.from(latin, 'latin1'));
    expect(decoded).toMatchObject({ text: latin, encoding: 'windows-1252', encoding_source: 'detected' });
    for (const short of ['h\xe9llo', 'caf\xe9', 'Gr\xfc\xdfe aus K\xf6ln', 'Le caf\xe9 est ferm\xe9 \xe0 No\xebl.']) {
      expect((await decodeBytes(Buffer.from(short, 'latin1'))).text).toBe(short);
    }
    const quotes = await decodeBytes(
      Buffer.concat([Buffer.from([0x93]), Buffer.from(latin, 'latin1'), Buffer.from([0x94, 0x80])]),
    );
    expect(quotes.text).toBe(`“${latin}”€`);
  });

  it.each([
    [
      'gb18030',
      [
        0xc4, 0xe3, 0xba, 0xc3, 0xca, 0xc0, 0xbd, 0xe7, 0xa3, 0xac, 0xd5, 0xe2, 0xca, 0xc7, 0xd6, 0xd0, 0xce, 0xc4,
        0xa1, 0xa3,
      ],
      '你好世界，这是中文。',
    ],
    [
      'shift_jis',
      [0x82, 0xb1, 0x82, 0xea, 0x82, 0xcd, 0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x82, 0xc5, 0x82, 0xb7, 0x81, 0x42],
      'これは日本語です。',
    ],
  ])('%s is detected, also across chunks', async (encoding, bytes, text) => {
    const decoded = await decodeBytes(Buffer.concat(Array.from({ length: 30 }, () => Buffer.from(bytes))), {}, 33);
    expect(decoded).toMatchObject({ text: text.repeat(30), encoding });
  });

  it('that the content type or the page declares is believed for what is no UTF-8', async () => {
    const russian = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
    expect(await decodeBytes(russian, { contentType: 'text/plain; charset="windows-1251"' })).toMatchObject({
      text: 'Привет',
      encoding_source: 'declared',
    });
    const page = Buffer.concat([Buffer.from('<html><meta charset=windows-1251><p>'), russian]);
    expect((await decodeBytes(page)).text).toBe('Привет\n');
  });

  it('stays UTF-8 when a few bytes are broken, or the last character is cut', async () => {
    const bytes = Buffer.from(french);
    bytes[100] = 0xff;
    expect(await decodeBytes(bytes)).toMatchObject({ encoding: 'utf-8', encoding_source: 'detected' });
    const cut = Buffer.from(`${french}é`).subarray(0, -1);
    expect(await decodeBytes(cut)).toMatchObject({ text: `${french}\ufffd`, encoding: 'utf-8' });
  });

  it('is found however late the first strange byte comes', async () => {
    const bytes = Buffer.concat([Buffer.from('plain words. '.repeat(20_000)), Buffer.from(latin, 'latin1')]);
    expect((await decodeBytes(bytes)).text.endsWith(latin)).toBe(true);
  });
});

describe('characters', () => {
  it('that are controls are removed, newlines become one kind, the rest stays as written', async () => {
    const text = 'a\0b\x07c\td\r\ne\rf\x0cg cafe\u0301 café\u2028';
    expect((await decodeBytes(Buffer.from(text))).text).toBe('abc\td\ne\nf\ng cafe\u0301 café\u2028');
    expect((await decodeBytes(Buffer.from('a\r\n'.repeat(50)), {}, 1)).text).toBe('a\n'.repeat(50));
  });

  it('that look like base64 or a special token are text', async () => {
    expect((await decodeBytes(Buffer.from('TWFu'))).text).toBe('TWFu');
    expect((await decodeBytes(Buffer.from('<|endoftext|>'))).text).toBe('<|endoftext|>');
  });
});

describe('the format', () => {
  it.each([
    ['# Title\n\ntext', { contentType: 'text/markdown; charset=utf-8' }, 'text/markdown'],
    ['# Title\n\ntext', { source: 'file:///a/b.MD?x=1' }, 'text/markdown'],
    ['# Title\n\ntext', { source: 'notes.txt' }, 'text/plain'],
    ['# Title\n\ntext', { contentType: 'text/plain', source: 'notes.md' }, 'text/plain'],
    ['# Title\n\ntext', { contentType: 'application/octet-stream', source: 'notes.md' }, 'text/markdown'],
    ['# Title\n\n- a [link](http://x)\n', {}, 'text/markdown'],
    ['just text', {}, 'text/plain'],
    ['{"a": 1}', { contentType: 'application/json' }, 'text/plain'],
    ['<!-- c --><!DOCTYPE html><p>x', { contentType: 'text/plain' }, 'text/html'],
    ['<p>fragment</p>', { contentType: 'text/html' }, 'text/html'],
    ['<p align="center">\n\n# Title', { source: 'README.md' }, 'text/markdown'],
    ['', { source: 'empty.pdf' }, 'text/plain'],
  ])('of %j with %j is %s', async (text, hints, type) => {
    expect((await decodeBytes(Buffer.from(text), hints)).content_type).toBe(type);
  });

  it.each([
    ['%PDF-1.7\n%\xe2\xe3', 'a PDF document'],
    ['PK\x03\x04\x14\0\0\0[Content_Types].xml...word/document.xml', 'a Word document (DOCX)'],
    ['PK\x03\x04\x14\0\0\0xl/workbook.xml', 'an Excel workbook'],
    ['PK\x03\x04\x14\0\0\0a.txt', 'a zip archive'],
    ['\x89PNG\r\n\x1a\n', 'a PNG image'],
    ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'an old Microsoft Office document'],
    ['\x00\x01\x02\x03\x04\x05\x06\x07\xfe\x80', 'an unknown binary file'],
  ])('of %j is refused by name', async (head, kind) => {
    const bytes = Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(500)]);
    await expect(decodeBytes(bytes, { contentType: 'text/plain' })).rejects.toMatchObject({
      code: 'unsupported-format',
      message: expect.stringContaining(kind) as unknown,
    });
  });

  it('that text claims to have is denied', async () => {
    await expect(decodeBytes(Buffer.from('not a pdf'), { contentType: 'application/pdf' })).rejects.toMatchObject({
      code: 'invalid-document',
    });
  });
});

describe('limits', () => {
  it('an HTML document is bounded, text is not', async () => {
    const large = `<html><p>${'x '.repeat(600_000)}`;
    await expect(decodeBytes(Buffer.from(large))).rejects.toMatchObject({ code: 'invalid-document' });
    expect((await decodeBytes(Buffer.from(large.slice(6)))).text_bytes).toBeGreaterThan(1 << 20);
  });

  it('a document that takes too long is stopped, and the next one is decoded', async () => {
    const deep = Buffer.from(`<html>${'<div>'.repeat(150_000)}`);
    await expect(decodeBytes(deep, {}, 65_536, { ...limits, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'invalid-document',
      message: expect.stringContaining('took longer than 0.05 s') as unknown,
    });
    expect((await decodeBytes(Buffer.from('next'))).text).toBe('next');
  });

  it('an aborted task ends with the signal’s reason', async () => {
    const abort = new AbortController();
    const running = decodeBytes(Buffer.from(`<html>${'<div>'.repeat(150_000)}`), {}, 65_536, {
      ...limits,
      signal: abort.signal,
    });
    setImmediate(() => abort.abort(new Error('partition lost')));
    await expect(running).rejects.toThrow('partition lost');
  });
});
