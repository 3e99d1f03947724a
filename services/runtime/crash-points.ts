/**
 * Names the crash point at which this process is to kill itself: `<name>`, or `<name>:<n>` for its nth hit. A name
 * without a dot means every point that ends in it: `publish` any processor's publish, `embedder.publish` only that one.
 */
const setting = process.env['SLUICE_TEST_CRASH_POINT'];

function armed(spec: string): (name: string) => void {
  const [wanted = '', nth = '1'] = spec.split(':');
  let hitsLeft = Number(nth);
  return (name) => {
    if (name !== wanted && !name.endsWith(`.${wanted}`)) return;
    hitsLeft--;
    if (hitsLeft === 0) process.kill(process.pid, 'SIGKILL');
  };
}

/**
 * A place at which tests let the process die as if by kill -9. Names are `<processor>.<place>`, with the places
 * after-effect (something durable was written), fence (before the state is read again), catalog-commit (before the
 * transaction ends), publish and before-offset-commit. Does nothing unless SLUICE_TEST_CRASH_POINT is set.
 */
export const crashPoint: (name: string) => void =
  setting === undefined || setting === '' ? () => undefined : armed(setting);
