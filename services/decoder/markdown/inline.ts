/** A heading's words without Markdown's marks, as they stand in heading paths. */
export function plainTitle(markdown: string): string {
  return markdown
    .replace(/\s*\{#[^}]*\}\s*$/, '')
    .replace(/!?\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g, '$1')
    .replace(/<\/?[a-zA-Z][^<>]*>/g, '')
    .replace(/<a id[^<>]*>/g, '')
    .replace(/`+([^`]*)`+/g, '$1')
    .replace(/(\*\*|__)(\S|\S.*?\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(\S|\S[^*]*?\S)\*(?![\w*])/g, '$1')
    .replace(/(?<!\w)_(\S|\S[^_]*?\S)_(?!\w)/g, '$1')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}
