/**
 * Text of a document as it may be written to a terminal: without escape sequences, other control characters and
 * direction overrides, so that no document can move the cursor, recolour the screen or disguise what stands there.
 * Newlines and tabs stay.
 */
export const safeText = (text: string): string =>
  text.replace(/\r\n?/gu, '\n').replace(escapeSequences, '').replace(controls, '');

/** The same on one line: every run of white space is one space. */
export const safeLine = (text: string): string => safeText(text).replace(/\s+/gu, ' ').trim();

// OSC and other strings up to their terminator, CSI up to its final byte, then any two-character escape.
const escapeSequences =
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/gu;

// eslint-disable-next-line no-control-regex -- control characters are what this is about
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
