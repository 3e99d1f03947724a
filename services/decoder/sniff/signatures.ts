interface Signature {
  readonly bytes: string;
  readonly at?: number;
  readonly kind: string;
}

/** What a binary document seems to be, by its first bytes. */
const signatures: readonly Signature[] = [
  { bytes: '\x89PNG\r\n', kind: 'a PNG image' },
  { bytes: '\xff\xd8\xff', kind: 'a JPEG image' },
  { bytes: 'GIF8', kind: 'a GIF image' },
  { bytes: 'WEBP', at: 8, kind: 'a WebP image' },
  { bytes: 'II*\0', kind: 'a TIFF image' },
  { bytes: 'MM\0*', kind: 'a TIFF image' },
  { bytes: '\0\0\x01\0', kind: 'an icon' },
  { bytes: 'ftyp', at: 4, kind: 'an MP4 or HEIF file' },
  { bytes: 'RIFF', kind: 'an audio or video file' },
  { bytes: 'ID3', kind: 'an MP3 file' },
  { bytes: 'OggS', kind: 'an Ogg file' },
  { bytes: 'fLaC', kind: 'a FLAC file' },
  { bytes: '\x1aE\xdf\xa3', kind: 'a Matroska or WebM video' },
  { bytes: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', kind: 'an old Microsoft Office document' },
  { bytes: '{\\rtf', kind: 'an RTF document' },
  { bytes: '%!PS', kind: 'a PostScript document' },
  { bytes: '\x1f\x8b', kind: 'a gzip archive' },
  { bytes: 'BZh', kind: 'a bzip2 archive' },
  { bytes: '\xfd7zXZ\0', kind: 'an xz archive' },
  { bytes: '\x28\xb5\x2f\xfd', kind: 'a Zstandard archive' },
  { bytes: '7z\xbc\xaf\x27\x1c', kind: 'a 7-Zip archive' },
  { bytes: 'Rar!\x1a\x07', kind: 'a RAR archive' },
  { bytes: 'ustar', at: 257, kind: 'a tar archive' },
  { bytes: '\x7fELF', kind: 'an executable' },
  { bytes: 'MZ\x90\0', kind: 'an executable' },
  { bytes: '\xcf\xfa\xed\xfe', kind: 'an executable' },
  { bytes: '\xca\xfe\xba\xbe', kind: 'a Java class or Mach-O file' },
  { bytes: '\0asm', kind: 'a WebAssembly module' },
  { bytes: 'SQLite format 3\0', kind: 'an SQLite database' },
  { bytes: 'wOFF', kind: 'a font' },
  { bytes: 'wOF2', kind: 'a font' },
  { bytes: '\0\x01\0\0', kind: 'a font' },
  { bytes: 'PAR1', kind: 'a Parquet file' },
];

/** Zip archives by what the names of their first entries begin with. */
const archives: readonly (readonly [string, string])[] = [
  ['word/', 'a Word document (DOCX)'],
  ['xl/', 'an Excel workbook (XLSX)'],
  ['ppt/', 'a PowerPoint presentation (PPTX)'],
  ['mimetypeapplication/epub', 'an EPUB book'],
  ['mimetypeapplication/vnd.oasis', 'an OpenDocument file'],
  ['META-INF/', 'a Java archive'],
];

/** What the first bytes say a binary document is, in words; undefined for text and for the unknown. */
export function binaryKind(head: Buffer): string | undefined {
  const latin = head.toString('latin1');
  if (latin.slice(0, 1024).includes('%PDF-')) return 'a PDF document';
  if (latin.startsWith('PK\x03\x04') || latin.startsWith('PK\x05\x06')) {
    return archives.find(([name]) => latin.includes(name))?.[1] ?? 'a zip archive';
  }
  return signatures.find(({ bytes, at = 0 }) => latin.startsWith(bytes, at))?.kind;
}

/** More control characters than a few, and more than this share, is no text. */
const fewControls = 8;
const mostControls = 0.05;

/** Whether bytes that no signature names are not text either. Of UTF-16 only what is left of it may be given. */
export function looksBinary(head: Buffer): boolean {
  let controls = 0;
  for (const byte of head) {
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c && byte !== 0x1b) controls++;
  }
  return controls > fewControls && controls > head.length * mostControls;
}
