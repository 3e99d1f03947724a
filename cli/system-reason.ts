const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this user has no right to read it',
  EPERM: 'this user has no right to do that',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'its symbolic links go round in a circle',
  EMFILE: 'too many files are open',
  EIO: 'the disk failed to read it',
};

/** What the system said of a file, in words. */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return (code === undefined ? undefined : reasons[code]) ?? error.message;
}
