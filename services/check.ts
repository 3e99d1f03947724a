/** One thing that was found out about an installation. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed';
  /** What was found. */
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** No person waits longer for a check. */
const patienceMs = 10_000;

/**
 * What `ask` finds out, or one failed check with this name and advice where it throws, or takes longer than a person
 * waits. It may look at the signal to stop early; what it finds after its time is not heard.
 */
export async function checked(
  { name, advice }: Pick<Check, 'name'> & { readonly advice: string },
  ask: (signal: AbortSignal) => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  const signal = AbortSignal.timeout(patienceMs);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('late')), { once: true });
  });
  try {
    return await Promise.race([ask(signal), late]);
  } catch (error) {
    if (signal.aborted) return [{ name, state: 'failed', detail: `no answer within ${patienceMs / 1000} s`, advice }];
    return [{ name, state: 'failed', detail: error instanceof Error ? error.message : String(error), advice }];
  }
}
