import { expect, it } from 'vitest';
import { throttled } from '../../../../../services/ports/bus/kafka/throttled-warn.js';

it('says the same of the same group once in ten seconds', () => {
  const said: string[] = [];
  let now = 0;
  const warn = throttled(
    (message, { group }) => said.push(`${now} ${message} ${String(group)}`),
    () => now,
  );
  for (now = 0; now <= 12_000; now += 500) {
    warn('down', { group: 'a' });
    if (now === 1_000) warn('down', { group: 'b' });
  }
  expect(said).toEqual(['0 down a', '1000 down b', '10000 down a']);
});
