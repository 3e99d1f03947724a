import { afterEach, expect, it } from 'vitest';
import { SluiceError } from '../../../../services/domain/errors.js';
import { healthOf } from '../../../../services/runtime/health.js';
import { eventually, openBench, purge, purgeProcessor, type Bench } from './harness.js';

let bench: Bench | undefined;
afterEach(async () => {
  await bench?.end();
});

it('tells by processor what was handled, retried and given up, how long it took and what is left', async () => {
  let hold: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    hold = resolve;
  });
  const processor = purgeProcessor(async ({ value, attempt }) => {
    if (value.document_id === 'bad') throw new SluiceError('invalid-document', 'no');
    if (value.document_id === 'flaky' && attempt < 3) throw new SluiceError('unavailable', 'down');
    if (value.document_id === 'held') await held;
    return [];
  });
  const opened = await openBench([processor]);
  bench = opened;
  await opened.start(processor);
  await opened.publisher.publish([purge('bad'), purge('flaky'), purge('good'), purge('held')]);
  const exposed = (): Promise<string> => opened.registry.metrics();
  await eventually(async () => {
    const text = await exposed();
    expect(text).toContain('sluice_messages_handled_total{processor="subject",outcome="done"} 2');
    expect(text).toContain('sluice_messages_handled_total{processor="subject",outcome="dead-letter"} 1');
  });
  const text = await exposed();
  expect(text).toContain('sluice_message_retries_total{processor="subject",code="unavailable"} 2');
  expect(text).toContain('sluice_consumer_joined{processor="subject"} 1');
  expect(text).toMatch(/sluice_consumer_lag\{processor="subject"\} [1-4]/);
  expect(text).toMatch(/sluice_fetched_bytes\{processor="subject"\} [1-9]/);
  hold();
  await eventually(async () => {
    expect(await exposed()).toContain('sluice_consumer_lag{processor="subject"} 0');
  });
  expect(await exposed()).toContain('sluice_handler_seconds_count{processor="subject"} 6');
});

it('tells the health of a process by its parts', () => {
  const part = (name: string, live: boolean, ready: boolean) => ({ name, health: () => ({ live, ready }) });
  expect(healthOf([part('a', true, true), part('b', true, true)])).toEqual({ live: true, ready: true, failing: [] });
  expect(healthOf([part('a', true, true), part('b', true, false)])).toEqual({
    live: true,
    ready: false,
    failing: ['b'],
  });
  expect(healthOf([part('a', false, true)])).toEqual({ live: false, ready: false, failing: ['a'] });
});
