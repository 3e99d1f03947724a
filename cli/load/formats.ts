import { extname } from 'node:path';

const typeOf = new Map(
  Object.entries({
    'text/markdown': ['.md', '.markdown', '.mdown', '.mkd', '.mdx'],
    'text/html': ['.html', '.htm', '.xhtml'],
    'text/plain': ['.txt', '.text', '.rst', '.adoc', '.asciidoc', '.org', '.tex', '.log'],
  }).flatMap(([type, extensions]) => extensions.map((extension) => [extension, type] as const)),
);

/** The media type that a file's name stands for; undefined: the name says nothing, the server looks at the bytes. */
export const contentTypeOf = (path: string): string | undefined => typeOf.get(extname(path).toLowerCase());
