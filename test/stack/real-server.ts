/** A server of the kind that users run: in a container where Docker answers, else a process on the loopback interface. */
export interface RealServer {
  readonly url: string;
  /** SIGTERM, or SIGKILL; resolves when the process is gone. Its data stays. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
  /** Its processes hold still until `wake`: connections are accepted, nothing is answered. */
  hang(): void;
  wake(): void;
}

/** Asks again and again until the server answers. Throws, with what `failure` says, when it has ended or time is up. */
export async function untilHealthy(
  healthy: () => Promise<boolean>,
  timeoutMs: number,
  failure: (timeIsUp: boolean) => string | undefined,
): Promise<void> {
  const until = Date.now() + timeoutMs;
  while (!(await healthy().catch(() => false))) {
    const message = failure(Date.now() > until);
    if (message !== undefined) throw new Error(message);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
