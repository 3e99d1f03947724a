import type { Attributes } from '../domain/attributes.js';
import type { VersionRecord } from '../ports/catalog/port.js';

/** What filters can ask of a version: its own attributes, and what Sluice knows of it under keys that are still free. */
export function pointAttributes(version: VersionRecord): Attributes {
  const { title, source, tags, contentType, fileTime, attributes } = version;
  return {
    document_id: version.documentId,
    ...(title === null ? {} : { title }),
    ...(source === null ? {} : { source }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(contentType === null ? {} : { content_type: contentType }),
    ...(fileTime === null ? {} : { file_time: fileTime.toISOString() }),
    ...attributes,
  };
}
