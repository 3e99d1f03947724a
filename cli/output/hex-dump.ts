const perLine = 16;

/** Bytes as offset, hexadecimal and printable ASCII, 16 a line. */
export function hexDump(bytes: Uint8Array): string {
  if (bytes.length === 0) return '(no bytes)';
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; start += perLine) {
    const row = [...bytes.subarray(start, start + perLine)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${start.toString(16).padStart(8, '0')}  ${hex.padEnd(perLine * 3 - 1)}  ${text}`);
  }
  return lines.join('\n');
}
