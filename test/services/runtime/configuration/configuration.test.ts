import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { SluiceError } from '../../../../services/domain/errors.js';
import { loadConfiguration } from '../../../../services/runtime/configuration/configuration.js';
import { declaredFields } from '../../../../services/runtime/configuration/fields.js';

const model = Type.Object({
  name: Type.String({ minLength: 1 }),
  dimensions: Type.Integer({ minimum: 1 }),
  apiKey: Type.Optional(Type.String({ secret: true })),
  timeoutMs: Type.Integer({ minimum: 1, default: 30_000 }),
});

const sections = {
  'vector-writer': Type.Object({
    maxItems: Type.Integer({ description: 'Packs in one write.', default: 64, minimum: 1, maximum: 256 }),
    lingerMs: Type.Number({ description: 'Time to wait for more.', default: 5, minimum: 0 }),
    enabled: Type.Boolean({ description: 'Whether it runs.', default: true }),
  }),
  gateway: Type.Object({
    host: Type.String({ description: 'Address to bind.', default: '127.0.0.1', minLength: 1 }),
    keys: Type.Array(Type.String(), { description: 'Accepted keys.', default: [], secret: true }),
    mode: Type.Union([Type.Literal('fast'), Type.Literal('safe')], { description: 'How.', default: 'safe' }),
    apiKey: Type.Optional(Type.String({ description: 'Its own key.', secret: true })),
    seed: Type.Union([Type.Null(), Type.Integer()], { description: 'Seed or none.', default: null }),
  }),
  models: Type.Object({
    named: Type.Record(Type.String(), model, { description: 'Models by name.', default: {} }),
  }),
};

const required = { store: Type.Object({ url: Type.String({ description: 'Where the store is.' }) }) };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-configuration-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function yaml(text: string): Promise<string> {
  const file = path.join(folder, `${Math.random()}.yaml`);
  await writeFile(file, text);
  return file;
}

function problemsOf(load: () => unknown): string {
  try {
    load();
  } catch (error) {
    if (error instanceof SluiceError && error.code === 'configuration-invalid') return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('configuration', () => {
  it('is its defaults when nothing is given', () => {
    const configuration = loadConfiguration(sections, { env: {} });
    expect(configuration.section('vector-writer')).toEqual({ maxItems: 64, lingerMs: 5, enabled: true });
    expect(configuration.section('gateway')).toEqual({ host: '127.0.0.1', keys: [], mode: 'safe', seed: null });
    expectTypeOf(configuration.section('vector-writer').maxItems).toEqualTypeOf<number>();
    expectTypeOf(configuration.section('gateway').mode).toEqualTypeOf<'fast' | 'safe'>();
  });

  it('reads variables by the kind of each setting', () => {
    const configuration = loadConfiguration(sections, {
      env: {
        SLUICE_VECTOR_WRITER_MAX_ITEMS: ' 128 ',
        SLUICE_VECTOR_WRITER_LINGER_MS: '0.5',
        SLUICE_VECTOR_WRITER_ENABLED: 'FALSE',
        SLUICE_GATEWAY_HOST: '0.0.0.0',
        SLUICE_GATEWAY_KEYS: '["one", "two"]',
        SLUICE_GATEWAY_MODE: 'fast',
        SLUICE_GATEWAY_SEED: '7',
        SLUICE_MODELS_NAMED: '{"small": {"name": "s", "dimensions": 384}}',
        HOME: '/somewhere',
      },
    });
    expect(configuration.section('vector-writer')).toEqual({ maxItems: 128, lingerMs: 0.5, enabled: false });
    expect(configuration.section('gateway')).toEqual({ host: '0.0.0.0', keys: ['one', 'two'], mode: 'fast', seed: 7 });
    expect(configuration.section('models').named).toEqual({ small: { name: 's', dimensions: 384, timeoutMs: 30_000 } });
  });

  it('prefers overrides to the environment, the environment to the file, the file to defaults', async () => {
    const file = await yaml('vector-writer: {maxItems: 1, lingerMs: 1}\ngateway:\n  host: file\nmodels:\n');
    const configuration = loadConfiguration(sections, {
      env: { SLUICE_CONFIG: file, SLUICE_VECTOR_WRITER_LINGER_MS: '2', SLUICE_GATEWAY_HOST: 'environment' },
      overrides: { gateway: { host: 'flag', seed: '3', mode: undefined } },
    });
    expect(configuration.section('vector-writer')).toEqual({ maxItems: 1, lingerMs: 2, enabled: true });
    expect(configuration.section('gateway')).toMatchObject({ host: 'flag', seed: 3, mode: 'safe' });
    const sources = Object.fromEntries(configuration.fields().map((field) => [field.variable, field.source]));
    expect(sources).toMatchObject({
      SLUICE_VECTOR_WRITER_MAX_ITEMS: file,
      SLUICE_VECTOR_WRITER_LINGER_MS: 'SLUICE_VECTOR_WRITER_LINGER_MS',
      SLUICE_GATEWAY_HOST: 'override',
      SLUICE_GATEWAY_MODE: 'default',
    });
  });

  it('reads lists and named things from the file', async () => {
    const file = await yaml(
      'models:\n  named:\n    small:\n      name: s\n      dimensions: 384\ngateway:\n  keys: [a, b]\n',
    );
    const configuration = loadConfiguration(sections, { env: {}, file });
    expect(configuration.section('gateway').keys).toEqual(['a', 'b']);
    expect(configuration.section('models').named['small']?.dimensions).toBe(384);
  });

  it('reads a value from the file that a _FILE variable names', async () => {
    const secret = path.join(folder, 'key');
    await writeFile(secret, 'from a file\n');
    const configuration = loadConfiguration(sections, { env: { SLUICE_GATEWAY_API_KEY_FILE: secret } });
    expect(configuration.section('gateway').apiKey).toBe('from a file');
    const both = { SLUICE_GATEWAY_API_KEY_FILE: secret, SLUICE_GATEWAY_API_KEY: 'x' };
    expect(problemsOf(() => loadConfiguration(sections, { env: both }))).toContain('both set');
    const absent = { SLUICE_GATEWAY_API_KEY_FILE: path.join(folder, 'absent') };
    expect(problemsOf(() => loadConfiguration(sections, { env: absent }))).toContain('SLUICE_GATEWAY_API_KEY_FILE');
  });

  it('takes an empty variable for one that is not set', () => {
    const env = { SLUICE_GATEWAY_HOST: '', SLUICE_GATEWAY_API_KEY_FILE: '', SLUICE_NOTHING: '' };
    expect(loadConfiguration(sections, { env }).section('gateway').host).toBe('127.0.0.1');
  });

  it('refuses unknown variables and names the nearest known one, but leaves those of tests and of others alone', () => {
    const load = (name: string): string =>
      problemsOf(() => loadConfiguration(sections, { env: { [name]: 'x' }, otherVariables: ['SLUICE_URL'] }));
    expect(load('SLUICE_VECTOR_WRITER_MAX_ITEM')).toBe(
      'the configuration is invalid: the environment variable SLUICE_VECTOR_WRITER_MAX_ITEM is no setting of Sluice: did you mean SLUICE_VECTOR_WRITER_MAX_ITEMS?',
    );
    expect(load('SLUICE_COMPLETELY_OTHER')).toMatch(/no setting of Sluice$/);
    const env = { SLUICE_TEST_CRASH: 'x', SLUICE_URL: 'x' };
    expect(() => loadConfiguration(sections, { env, otherVariables: ['SLUICE_URL'] })).not.toThrow();
  });

  it('refuses unknown sections, settings and inner keys of the file, and overrides, with the nearest known ones', async () => {
    const file = await yaml('vector-riter: {}\ngateway: {hots: x}\nmodels: {named: {a: {name: a, dimension: 3}}}\n');
    const message = problemsOf(() =>
      loadConfiguration(sections, { env: {}, file, overrides: { gateway: { mod: 'x' } } }),
    );
    expect(message).toContain('there is no section vector-riter: did you mean vector-writer?');
    expect(message).toContain('there is no setting gateway.hots: did you mean gateway.host?');
    expect(message).toContain('there is no setting gateway.mod: did you mean gateway.mode?');
    expect(message).toContain('models.named.a.dimension (from');
    expect(message).toContain('did you mean dimensions?');
    expect(message).toContain('models.named.a.dimensions');
  });

  it('names every bad value, what is allowed and where it came from, all at once', async () => {
    const file = await yaml('vector-writer: {maxItems: many}\ngateway: {mode: slow, keys: [1]}\n');
    const message = problemsOf(() =>
      loadConfiguration({ ...sections, ...required }, { env: { SLUICE_VECTOR_WRITER_LINGER_MS: '-1' }, file }),
    );
    expect(message.split('\n').length).toBe(6);
    expect(message).toContain(
      `vector-writer.maxItems (from ${file}) is "many", which is not allowed: it must be an integer from 1 to 256`,
    );
    expect(message).toContain(
      'vector-writer.lingerMs (from SLUICE_VECTOR_WRITER_LINGER_MS) is -1, which is not allowed: it must be a number, at least 0',
    );
    expect(message).toContain('gateway.mode');
    expect(message).toContain('it must be "fast" or "safe"');
    expect(message).toContain('store.url is not set: set SLUICE_STORE_URL');
  });

  it('says what is wrong with a file that is no YAML, no mapping, or not there', async () => {
    const load = (file: string): string => problemsOf(() => loadConfiguration(sections, { env: {}, file }));
    expect(load(await yaml('gateway:\n  host: [hunter2\n'))).toMatch(/line \d/);
    expect(load(await yaml('gateway:\n  host: [hunter2\n'))).not.toContain('hunter2');
    expect(load(await yaml('gateway: {host: a}\ngateway: {host: b}\n'))).toContain('line 2');
    expect(load(await yaml('- a\n'))).toContain('must be a mapping');
    expect(load(await yaml('gateway: 3\n'))).toContain('section gateway must be a mapping');
    expect(load(path.join(folder, 'absent.yaml'))).toContain('cannot be read');
  });

  it('never shows a secret', async () => {
    const file = await yaml('models: {named: {a: {name: a, dimensions: 3, apiKey: hunter2}}}\n');
    const env = { SLUICE_GATEWAY_API_KEY: 'hunter2', SLUICE_GATEWAY_KEYS: '["hunter2"]' };
    const configuration = loadConfiguration(sections, { env, file });
    expect(configuration.section('gateway').apiKey).toBe('hunter2');
    expect(JSON.stringify(configuration.fields())).not.toContain('hunter2');
    const shown = Object.fromEntries(configuration.fields().map((field) => [field.name, field.value]));
    expect(shown['apiKey']).toBe('•••');
    expect(shown['named']).toMatchObject({ a: { name: 'a', apiKey: '•••' } });
    const bad = { SLUICE_GATEWAY_KEYS: 'hunter2', SLUICE_MODELS_NAMED: '{"a": {"name": "hunter2", "apiKey": 3}}' };
    expect(problemsOf(() => loadConfiguration(sections, { env: bad }))).not.toContain('hunter2');
  });

  it('lays single settings of named things from the environment over their entries', async () => {
    const secret = path.join(folder, 'key');
    await writeFile(secret, 'hunter2\n');
    const file = await yaml('models: {named: {small-one: {name: s, dimensions: 3, timeoutMs: 7}}}\n');
    const configuration = loadConfiguration(sections, {
      env: {
        SLUICE_MODELS_NAMED_SMALL_ONE_API_KEY_FILE: secret,
        SLUICE_MODELS_NAMED_SMALL_ONE_DIMENSIONS: '384',
        SLUICE_MODELS_NAMED_BIG_NAME: 'b',
        SLUICE_MODELS_NAMED_BIG_DIMENSIONS: '768',
        SLUICE_MODELS_NAMED_BIG_API_KEY: '',
      },
      file,
    });
    expect(configuration.section('models').named).toEqual({
      'small-one': { name: 's', dimensions: 384, timeoutMs: 7, apiKey: 'hunter2' },
      big: { name: 'b', dimensions: 768, timeoutMs: 30_000 },
    });
    const shown = configuration.fields().find(({ name }) => name === 'named');
    expect(shown?.source).toContain(file);
    expect(shown?.source).toContain(`SLUICE_MODELS_NAMED_SMALL_ONE_API_KEY_FILE (${secret})`);
    expect(JSON.stringify(shown)).not.toContain('hunter2');
  });

  it('checks single settings of named things as it checks all others', () => {
    const load = (env: Record<string, string>): string => problemsOf(() => loadConfiguration(sections, { env }));
    expect(load({ SLUICE_MODELS_NAMED_A_NAME: 'a' })).toContain('models.named.a.dimensions');
    expect(load({ SLUICE_MODELS_NAMED_A_NAMES: 'a' })).toContain('SLUICE_MODELS_NAMED_A_NAMES is no setting');
    expect(load({ SLUICE_MODELS_NAMED_NAME: 'a' })).toContain('SLUICE_MODELS_NAMED_NAME is no setting');
    expect(load({ SLUICE_MODELS_NAMED_A_NAME: 'a', SLUICE_MODELS_NAMED_A_NAME_FILE: '/x' })).toContain('both set');
  });

  it('refuses declarations without a description, and two settings of one variable', () => {
    expect(() => declaredFields({ a: Type.Object({ b: Type.String() }) })).toThrow('a.b');
    const b = Type.String({ description: 'x' });
    expect(() => declaredFields({ 'a-b': Type.Object({ c: b }), a: Type.Object({ bC: b }) })).toThrow('SLUICE_A_B_C');
    expect(() => declaredFields({ a: Type.Object({ key: b, keyFile: b }) })).toThrow('SLUICE_A_KEY_FILE');
  });
});
