/** The split of the o200k_base encoding (github.com/openai/tiktoken, tiktoken_ext/openai_public.py). */
const contraction = String.raw`(?:'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE]))?`;
const upper = String.raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`;
const lower = String.raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`;
const pattern = [
  String.raw`[^\r\n\p{L}\p{N}]?[${upper}]*[${lower}]+${contraction}`,
  String.raw`[^\r\n\p{L}\p{N}]?[${upper}]+[${lower}]*${contraction}`,
  String.raw`\p{N}{1,3}`,
  String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
  String.raw`\s*[\r\n]+`,
  String.raw`\s+(?!\S)`,
  String.raw`\s+`,
].join('|');
const sticky = new RegExp(pattern, 'uy');

const [lowerLetter, upperLetter, digit, newline, space, mark] = [1, 2, 3, 4, 5, 6];
const beyondAscii = 7;
const endOfText = 8;
const classes = new Uint8Array(128).fill(mark);
for (let unit = 0; unit < 128; unit++) {
  const character = String.fromCharCode(unit);
  if (/[a-z]/.test(character)) classes[unit] = lowerLetter;
  else if (/[A-Z]/.test(character)) classes[unit] = upperLetter;
  else if (/[0-9]/.test(character)) classes[unit] = digit;
  else if (/[\r\n]/.test(character)) classes[unit] = newline;
  else if (/\s/.test(character)) classes[unit] = space;
}

function classAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit < 128 ? (classes[unit] ?? mark) : index < text.length ? beyondAscii : endOfText;
}

/** The end of the pre-token that begins at `start`. ASCII is read by hand, several times faster than the pattern. */
export function pretokenEnd(text: string, start: number): number {
  const end = asciiEnd(text, start);
  if (end > 0) return end;
  sticky.lastIndex = start;
  return sticky.test(text) ? sticky.lastIndex : start + 1;
}

/** As pretokenEnd, or -1 where a character beyond ASCII has a say. */
function asciiEnd(text: string, start: number): number {
  const first = classAt(text, start);
  if (first <= upperLetter) return wordEnd(text, start);
  if (first === digit) return digitsEnd(text, start);
  if (first === beyondAscii) return -1;
  const next = classAt(text, start + 1);
  if (next === beyondAscii) return -1;
  if (first !== newline && next <= upperLetter) return wordEnd(text, start + 1);
  if (first === mark) return marksEnd(text, start + 1);
  if (next === mark && text.charCodeAt(start) === 0x20) return marksEnd(text, start + 2);
  return spacesEnd(text, start);
}

function wordEnd(text: string, start: number): number {
  let index = start;
  let kind = classAt(text, index);
  while (kind === upperLetter) kind = classAt(text, ++index);
  while (kind === lowerLetter) kind = classAt(text, ++index);
  if (kind === beyondAscii) return -1;
  return text.charCodeAt(index) === 0x27 ? contractionEnd(text, index) : index;
}

function contractionEnd(text: string, apostrophe: number): number {
  const one = text.charCodeAt(apostrophe + 1) | 0x20;
  if (one === 0x73 || one === 0x64 || one === 0x6d || one === 0x74) return apostrophe + 2;
  const two = text.charCodeAt(apostrophe + 2) | 0x20;
  const pair = (one === 0x6c && two === 0x6c) || ((one === 0x76 || one === 0x72) && two === 0x65);
  return pair ? apostrophe + 3 : apostrophe;
}

function digitsEnd(text: string, start: number): number {
  let index = start + 1;
  while (index < start + 3 && classAt(text, index) === digit) index++;
  return index < start + 3 && classAt(text, index) === beyondAscii ? -1 : index;
}

function marksEnd(text: string, from: number): number {
  let index = from;
  let kind = classAt(text, index);
  while (kind === mark) kind = classAt(text, ++index);
  if (kind === beyondAscii) return -1;
  for (;;) {
    const unit = text.charCodeAt(index);
    if (unit !== 0x0a && unit !== 0x0d && unit !== 0x2f) return index;
    index++;
  }
}

function spacesEnd(text: string, start: number): number {
  let index = start;
  let lastNewline = -1;
  for (let kind = classAt(text, index); ; kind = classAt(text, ++index)) {
    if (kind === newline) lastNewline = index;
    else if (kind === beyondAscii) return -1;
    else if (kind !== space) break;
  }
  if (lastNewline >= 0) return lastNewline + 1;
  return index === text.length || index === start + 1 ? index : index - 1;
}
