/** Where each kind of blob stands. */
export const blobKeys = {
  /** The raw bytes of an upload. */
  source: (workspace: string, uploadId: string): string => `${workspace}/sources/${uploadId}`,
  /**
   * The decoded text of a version, UTF-8, exactly what offsets count in. It appears after its blocks: a text that exists
   * is whole, and is never written again.
   */
  text: (workspace: string, versionHash: string): string => `${workspace}/texts/${versionHash}`,
  /** NDJSON: one line per block of the decoded text, in order, then one of DecodedSummary (domain/decoded-text.ts). */
  blocks: (workspace: string, versionHash: string): string => `${workspace}/blocks/${versionHash}`,
  /** JSON of one Pack. */
  pack: (workspace: string, versionHash: string, pack: number): string =>
    `${workspace}/packs/${versionHash}/${String(pack).padStart(8, '0')}`,
  packs: (workspace: string, versionHash: string): string => `${workspace}/packs/${versionHash}/`,
} as const;

/** The blob that names the installation this store belongs to. */
export const installationKey = 'installation/id';
