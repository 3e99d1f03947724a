/** A signal that aborts when a call is no longer wanted, or when its server has said nothing for too long. */
export interface Patience {
  readonly signal: AbortSignal;
  readonly timedOut: boolean;
  /** The server is not being waited for. */
  pause(): void;
  /** It is being waited for anew. */
  renew(): void;
  /** Must be called in the end: lets go of timer and signal. */
  end(): void;
}

/** `timeoutMs` counts from now. */
export function patience(timeoutMs: number, wanted?: AbortSignal): Patience {
  const controller = new AbortController();
  let timedOut = false;
  let timer: NodeJS.Timeout | undefined;
  const pause = (): void => clearTimeout(timer);
  const renew = (): void => {
    pause();
    timer = setTimeout(() => {
      timedOut = true;
      controller.abort(new Error(`nothing came for ${timeoutMs} ms`));
    }, timeoutMs);
  };
  const unwanted = (): void => controller.abort(wanted?.reason);
  if (wanted?.aborted === true) unwanted();
  wanted?.addEventListener('abort', unwanted, { once: true });
  renew();
  return {
    signal: controller.signal,
    get timedOut() {
      return timedOut;
    },
    ...{ pause, renew },
    end() {
      pause();
      wanted?.removeEventListener('abort', unwanted);
    },
  };
}
