/** What the person typed cannot be done as typed: nothing was sent, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
