/** What a message is about, as far as it says so. */
export interface Subject {
  readonly workspace: string | undefined;
  readonly collection: string | undefined;
  readonly documentId: string | undefined;
  readonly version: number | undefined;
  readonly versionHash: string | undefined;
  /** Of a submit. */
  readonly uploadId: string | undefined;
  /** Of a command. */
  readonly kind: string | undefined;
  /** Vectors that came from elsewhere: they belong to no version. */
  readonly imported: boolean;
}

/** Reads the address of a decoded message of any topic; undefined: it could not be decoded. */
export function subjectOf(message: unknown): Subject {
  const whole = fieldsOf(message);
  const fields = { ...whole, ...fieldsOf(whole['metadata']) };
  const text = (name: string): string | undefined => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const version = fields['version'];
  return {
    workspace: text('workspace'),
    collection: text('collection'),
    documentId: text('document_id'),
    version: typeof version === 'number' ? version : undefined,
    versionHash: text('version_hash'),
    uploadId: text('upload_id'),
    kind: text('kind'),
    imported: text('import_id') !== undefined,
  };
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
