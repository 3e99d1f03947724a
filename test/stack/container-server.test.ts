import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { imageOf, inContainers } from './container-server.js';
import { kafkaVersion } from './kafka.js';
import { registryVersion } from './registry.js';

describe('servers in containers', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('run where Docker is, unless processes are preferred', () => {
    vi.stubEnv('SLUICE_TEST_SERVERS', undefined);
    vi.stubEnv('DOCKER_HOST', 'tcp://127.0.0.1:2375');
    expect(inContainers()).toBe(true);
    vi.stubEnv('SLUICE_TEST_SERVERS', 'native');
    expect(inContainers()).toBe(false);
  });

  it('are the images that docker-compose.yml pins, in the releases that run as processes elsewhere', async () => {
    const compose = await readFile('docker-compose.yml', 'utf8');
    for (const service of ['kafka', 'registry', 'postgres', 'garage', 'qdrant']) {
      const image = await imageOf(service);
      expect(image).toMatch(/^[\w./-]+:v?\d+\.\d+/);
      expect(compose).toContain(`image: ${image}`);
    }
    expect(await imageOf('kafka')).toBe(`apache/kafka:${kafkaVersion}`);
    expect(await imageOf('registry')).toBe(`apicurio/apicurio-registry:${registryVersion}`);
    await expect(imageOf('nobody')).rejects.toThrow(/nobody/);
  });
});
