/** Parameters of glibc's mallopt(3), by their numbers in malloc.h. */
const trimThreshold = -1;
const mmapThreshold = -3;
const arenaMax = -8;

/** What is at least that large has pages of its own, which go back to the system when it is freed: glibc's first value. */
const largeBytes = 128 << 10;
/** Threads share so many heaps; each keeps what lies free between two pieces that are in use … */
const maxArenas = 4;
/** … until it is asked for its whole free pages: measured under load, 15 % of what is resident, in 2 to 40 ms. */
const trimEveryMs = 5_000;

/**
 * Makes the process give freed memory back to the system, for all its threads. By itself glibc's allocator raises its
 * idea of "large" to the largest piece freed so far (up to 32 MB) and has eight heaps per core, so that a process which
 * moves megabytes of vectors between dozens of threads keeps several times what it uses. Returns whether it could: it
 * changes nothing with another C library, or without the optional package that calls one.
 */
export async function returnFreedMemory(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  try {
    const { default: koffi } = await import('koffi');
    const libc = koffi.load('libc.so.6');
    const mallopt = libc.func('int mallopt(int, int)');
    const changed = [
      mallopt(mmapThreshold, largeBytes),
      mallopt(trimThreshold, largeBytes),
      mallopt(arenaMax, maxArenas),
    ];
    const trim = libc.func('int malloc_trim(size_t)');
    setInterval(() => {
      trim.async(0, () => undefined); // in a thread: it may take longer than a search
    }, trimEveryMs).unref();
    return changed.every((result) => result === 1);
  } catch {
    return false;
  }
}
