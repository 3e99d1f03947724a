import { appendFile, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashFile, stampOf } from '../../../cli/load/file-stamp.js';
import { ledgerPath, openLedger } from '../../../cli/load/ledger.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-ledger-'));
});
afterEach(() => rm(folder, { recursive: true }));

const entry = (contentHash: string) => ({
  fingerprint: '1:2:3:4',
  options: 'o',
  documentId: `id-${contentHash}`,
  operationId: 'op',
  contentHash,
});

describe('what a load remembers', () => {
  it('is there for the next one at once, the last word counting', async () => {
    const path = join(folder, 'deep', 'ledger.jsonl');
    const first = await openLedger(path);
    first.note('file:///a', entry('1'));
    first.note('file:///b\n"', entry('2'));
    first.note('file:///a', entry('3'));
    const second = await openLedger(path);
    expect(second.size).toBe(2);
    expect(second.get('file:///a')).toEqual(entry('3'));
    expect(second.get('file:///b\n"')).toEqual(entry('2'));
    expect(second.documentIds()).toEqual(new Set(['id-3', 'id-2']));
  });

  it('survives a line that a kill cut short', async () => {
    const path = join(folder, 'ledger.jsonl');
    (await openLedger(path)).note('file:///a', entry('1'));
    await appendFile(path, '["file:///b","fing');
    const second = await openLedger(path);
    second.note('file:///c', entry('3'));
    const third = await openLedger(path);
    expect([third.get('file:///a'), third.get('file:///b'), third.get('file:///c')]).toEqual([
      entry('1'),
      undefined,
      entry('3'),
    ]);
  });

  it('drops what later lines replace', async () => {
    const path = join(folder, 'ledger.jsonl');
    const ledger = await openLedger(path);
    for (let index = 0; index < 1_100; index++) ledger.note('file:///a', entry(String(index)));
    await ledger.compact();
    expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(1);
    expect((await openLedger(path)).get('file:///a')).toEqual(entry('1099'));
  });

  it('is nothing where nothing can be kept, and no error', async () => {
    await writeFile(join(folder, 'file'), '');
    for (const path of [undefined, join(folder, 'file', 'ledger.jsonl')]) {
      const ledger = await openLedger(path);
      ledger.note('file:///a', entry('1'));
      await ledger.compact();
      expect([ledger.size, ledger.get('file:///a')]).toEqual([0, undefined]);
    }
  });

  it('is kept apart by server, workspace and collection', () => {
    const env = { XDG_STATE_HOME: folder };
    const paths = [
      ['http://a', 'w', 'c'],
      ['http://b', 'w', 'c'],
      ['http://a', 'x', 'c'],
      ['http://a', 'w', 'd'],
    ].map((of) => ledgerPath(env, ...of));
    expect(new Set(paths).size).toBe(4);
    expect(paths.every((path) => path.startsWith(folder))).toBe(true);
  });
});

describe('the stamp of a file', () => {
  it('changes when content of the same size is written and the modification time is set back', async () => {
    const path = join(folder, 'a.md');
    // Whole seconds: setting a time with a fraction may round it.
    const time = new Date('2020-01-02T03:04:05Z');
    await writeFile(path, 'one');
    await utimes(path, time, time);
    const before = await stampOf(path);
    await writeFile(path, 'two');
    await utimes(path, time, time);
    const after = await stampOf(path);
    expect(after.modified.getTime()).toBe(before.modified.getTime());
    expect(after.fingerprint).not.toBe(before.fingerprint);
  });

  it('is settled only when the last change is some seconds old', async () => {
    const path = join(folder, 'a.md');
    await writeFile(path, 'one');
    expect((await stampOf(path)).settled).toBe(false);
    expect((await stampOf(path, () => Date.now() + 10_000)).settled).toBe(true);
  });

  it('is refused of what is no file', async () => {
    await expect(stampOf(folder)).rejects.toThrow('not a file');
  });

  it('comes with the sha256 of what is in it', async () => {
    const path = join(folder, 'a.md');
    await writeFile(path, 'abc');
    expect(await hashFile(path, new AbortController().signal)).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
