import { SluiceError } from '../../domain/errors.js';
import type { Format } from '../decode.js';

/** What is known of a document beside its bytes. */
export interface Hints {
  /** As given with the upload; parameters such as charset may follow. */
  readonly contentType: string | null;
  /** A name, path or URI whose extension may say something. */
  readonly source: string | null;
}

export const mediaTypeOf: Record<Format, string> = {
  markdown: 'text/markdown',
  text: 'text/plain',
  html: 'text/html',
};

const formatOfMediaType: ReadonlyMap<string, Format> = new Map([
  ['text/markdown', 'markdown'],
  ['text/x-markdown', 'markdown'],
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
]);
/** Media types that say no more than that something was sent. */
const vague: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-unknown',
]);

const formatOfExtension: ReadonlyMap<string, Format> = new Map([
  ['md', 'markdown'],
  ['markdown', 'markdown'],
  ['mdown', 'markdown'],
  ['mkd', 'markdown'],
  ['mdx', 'markdown'],
  ['html', 'html'],
  ['htm', 'html'],
  ['xhtml', 'html'],
]);
const binaryMediaType =
  /^(?:image|audio|video|font)\/(?!svg)|^application\/(?:pdf|zip|gzip|msword|vnd\.(?:ms-|openxmlformats|oasis))/;
const binaryExtension = /^(?:pdf|docx?|xlsx?|pptx?|od[tsp]|epub|zip|gz|png|jpe?g|gif|webp|mp[34])$/;

/** The media type without its parameters, lower case; empty if there is none. */
export const mediaType = (contentType: string | null): string =>
  (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/** The charset parameter of a content type. */
export const declaredCharset = (contentType: string | null): string | undefined =>
  /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1];

function extension(source: string | null): string {
  const name = (source ?? '').split(/[?#]/)[0]?.split(/[/\\]/).at(-1) ?? '';
  return name.includes('.') ? (name.split('.').at(-1)?.toLowerCase() ?? '') : '';
}

/**
 * The format of a document whose bytes are text: what its beginning shows, then its media type, then its name; any
 * other text is plain. Throws invalid-document for text that claims to be a binary document.
 */
export function formatOf(beginning: string, { contentType, source }: Hints): Format {
  if (looksLikeHtml(beginning)) return 'html';
  const type = mediaType(contentType);
  const name = extension(source);
  if (beginning.trim() !== '' && (binaryMediaType.test(type) || (vague.has(type) && binaryExtension.test(name)))) {
    const claim = binaryMediaType.test(type) ? type : `.${name}`;
    throw new SluiceError(
      'invalid-document',
      `the document is given as ${claim}, but its bytes are text: it is damaged, or give its true type`,
    );
  }
  const byType = formatOfMediaType.get(type);
  if (byType !== undefined) return byType;
  if (!vague.has(type)) return 'text';
  return formatOfExtension.get(name) ?? (name === '' && looksLikeMarkdown(beginning) ? 'markdown' : 'text');
}

/** The elements that only a whole HTML document begins with (Markdown may begin with any other). */
function looksLikeHtml(beginning: string): boolean {
  let rest = beginning.trimStart();
  for (;;) {
    const end = rest.startsWith('<!--') ? '-->' : rest.startsWith('<?xml') ? '?>' : undefined;
    const at = end === undefined ? -1 : rest.indexOf(end);
    if (end === undefined || at < 0) break;
    rest = rest.slice(at + end.length).trimStart();
  }
  return /^<(?:!doctype\s+html|html|head|body)[\s>]/i.test(rest);
}

/** Two different signs that a text of unknown type is Markdown. */
function looksLikeMarkdown(beginning: string): boolean {
  const signs = [
    beginning.startsWith('---\n') && beginning.includes('\n---\n'),
    /^#{1,6} \S/m.test(beginning),
    /^(?:```|~~~)/m.test(beginning),
    /\[[^\]\n]+\]\([^)\n]+\)/.test(beginning),
    /^[-*+] \S/m.test(beginning),
    /\*\*\S/.test(beginning),
  ];
  return signs.filter(Boolean).length >= 2;
}
