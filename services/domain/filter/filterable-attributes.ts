import type { Attributes, AttributeValue } from '../attributes.js';

interface Described {
  readonly attributes: Attributes;
  readonly title: string | null;
  readonly source: string | null;
  readonly tags: readonly string[];
  readonly contentType: string | null;
}

/** What `where` sees of a version: its attributes, and its own title, source, tags and content type under those keys unless an attribute has the name. */
export function filterableAttributes({ attributes, title, source, tags, contentType }: Described): Attributes {
  const own: Record<string, AttributeValue> = {};
  if (title !== null) own['title'] = title;
  if (source !== null) own['source'] = source;
  if (tags.length > 0) own['tags'] = tags;
  if (contentType !== null) own['content_type'] = contentType;
  return { ...own, ...attributes };
}
