import { describe, expect, it } from 'vitest';
import { afterWrite, isAlive } from '../../../services/runtime/fence.js';
import type { VersionRecord, VersionState } from '../../../services/ports/catalog/port.js';

const version = (state: VersionState, purgeBegun = false): VersionRecord => ({
  workspace: 'w',
  collection: 'c',
  documentId: 'd',
  version: 1,
  versionHash: '0'.repeat(64),
  state,
  purgeBegun,
  uploadId: 'u',
  contentHash: '',
  sizeBytes: 0,
  contentType: null,
  title: null,
  source: null,
  tags: [],
  attributes: {},
  attributeRevision: 0,
  fileTime: null,
  flow: 'default',
  textSha256: null,
  textBytes: null,
  packs: null,
  chunks: null,
  chunkerSpec: { strategy: 'structure', version: 1, size: 512, overlap: 64, tokenizer: 'words', contextPrefix: true },
  lexical: { version: 1, language: 'english' },
  spaces: [],
  retiredSpaces: [],
  stage: null,
  code: null,
  reason: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  liveSince: null,
  supersededAt: null,
});

describe('the fence of a stage', () => {
  it.each(['pending', 'processing', 'failed', 'ready'] as const)(
    'works on a %s version and keeps its write',
    (state) => {
      expect(isAlive(version(state))).toBe(true);
      expect(afterWrite(version(state))).toBe('keep');
    },
  );

  it.each([
    ['superseded, its purge still to come', version('superseded'), 'leave'],
    ['superseded, its purge begun', version('superseded', true), 'remove'],
    ['deleting', version('deleting'), 'remove'],
    ['unknown', undefined, 'remove'],
  ] as const)('does nothing for a version that is %s', (_, record, then) => {
    expect(isAlive(record)).toBe(false);
    expect(afterWrite(record)).toBe(then);
  });
});
