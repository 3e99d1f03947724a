import type { Attributes } from '../../domain/attributes.js';
import type { Block } from '../../domain/text.js';
export function decodeHtml(_html: string): { readonly blocks: readonly Block[]; readonly attributes: Attributes } {
  return { blocks: [], attributes: {} };
}
