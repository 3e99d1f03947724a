import type { Attributes } from '../attributes.js';

interface Described {
  readonly documentId: string;
  readonly title: string | null;
  readonly source: string | null;
  readonly tags: readonly string[];
  readonly contentType: string | null;
  readonly fileTime: Date | null;
  readonly attributes: Attributes;
}

/** What filters can ask of a version: its own attributes, and what Sluice knows of it under keys that are still free. */
export function filterableAttributes(version: Described): Attributes {
  const { documentId, title, source, tags, contentType, fileTime, attributes } = version;
  return {
    document_id: documentId,
    ...(title === null ? {} : { title }),
    ...(source === null ? {} : { source }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(contentType === null ? {} : { content_type: contentType }),
    ...(fileTime === null ? {} : { file_time: fileTime.toISOString() }),
    ...attributes,
  };
}
