import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { embeddedPorts } from '../../services/ports/port-settings.js';
import { readConfiguration } from '../../services/settings.js';

const read = (name: string) => readConfiguration({ env: {}, config: `deploy/profiles/${name}.yaml` });

describe('the configuration profiles', () => {
  it('are these', async () => {
    expect((await readdir('deploy/profiles')).sort()).toEqual(['embedded.yaml', 'servers.yaml']);
  });

  it('embedded: everything in one folder', () => {
    const { section } = read('embedded');
    expect(embeddedPorts(section('adapters'))).toEqual(['bus', 'catalog', 'blobStore', 'vectorStore']);
    expect(section('embedding').model).toBe('hashing');
  });

  it('servers: nothing in a folder, and no secrets', () => {
    const configuration = read('servers');
    expect(embeddedPorts(configuration.section('adapters'))).toEqual([]);
    expect(configuration.section('registry').url).not.toBe('');
    const set = configuration.fields().filter(({ source }) => source !== 'default');
    expect(set.map(({ section }) => section)).toEqual(expect.arrayContaining(['kafka', 'registry', 's3', 'qdrant']));
    expect(set.filter(({ name }) => /secret|password|key$/i.test(name))).toEqual([]);
  });
});
