// eslint-disable-next-line no-control-regex -- control characters are what it removes
const unwanted = /[\0-\x08\x0b-\x1f]/;

/**
 * Newlines become \n (form feed and vertical tab too: they end lines), other C0 controls but the tab go. Nothing else
 * changes: the stored text is in the author's own Unicode form.
 */
export function withoutControls(text: string): string {
  if (!unwanted.test(text)) return text;
  return (
    text
      .replace(/\r\n?|[\v\f]/g, '\n')
      // eslint-disable-next-line no-control-regex -- as above
      .replace(/[\0-\x08\x0e-\x1f]/g, '')
  );
}
