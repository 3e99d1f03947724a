import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Check } from '../../services/check.js';
import { doctor } from '../../services/doctor.js';
import { serve } from '../../services/serve.js';
import { freePort } from '../stack/native-server.js';
import { startServers } from '../stack/servers.js';
import { startOrSkip } from '../stack/start-or-skip.js';

const servers = await startOrSkip('the servers of the distributed run', startServers);

if (servers !== undefined) {
  const { environment, kafka, postgres, qdrant } = servers;
  const settings = { ...environment, SLUICE_S3_BUCKET: 'archive', SLUICE_GATEWAY_PORT: '0', SLUICE_LOG_LEVEL: 'warn' };
  const examine = async (changes: Readonly<Record<string, string>> = {}): Promise<Map<string, Check>> =>
    new Map((await doctor({ env: { ...settings, ...changes } })).map((check) => [check.name, check]));
  const wrongOf = (checks: ReadonlyMap<string, Check>): string[] =>
    [...checks.values()].filter(({ state }) => state !== 'ok').map(({ name }) => name);

  describe('doctor on servers', { timeout: 120_000 }, () => {
    afterAll(() => servers.stop());

    it('tells before the first start what is there and what the start will make, and makes nothing', async () => {
      const checks = await examine();
      expect(wrongOf(checks)).toEqual([]);
      expect(checks.get('kafka')?.detail).toMatch(
        new RegExp(
          `^version [34]\\.\\d.* \\(metadata.version \\d+\\); 1 broker.*${kafka.url}; 0 topics, \\d+ more are made`,
        ),
      );
      expect(checks.get('schema registry')?.detail).toMatch(
        /^version \d+\.\d+\.\d+ at http.*; the start registers what/,
      );
      expect(checks.get('postgres')?.detail).toMatch(/^version \d+\.\d+.*; the first start makes the tables$/);
      expect(checks.get('s3 server')?.detail).toContain('answers');
      expect(checks.get('s3 bucket')?.detail).toContain('not there yet: the start creates it');
      expect(checks.get('qdrant')?.detail).toMatch(/^version 1\.\d+\.\d+ at http/);
      expect(checks.has('data folder')).toBe(false);
      expect((await examine()).get('kafka')?.detail).toContain('; 0 topics,');
    });

    it('fails where what is missing is not to be made', async () => {
      const checks = await examine({ SLUICE_REGISTRY_REGISTER: 'false', SLUICE_S3_CREATE_BUCKET: 'false' });
      expect(wrongOf(checks)).toEqual(['schema registry', 's3 bucket']);
      expect(checks.get('schema registry')?.detail).toContain('lacks the schemas of this release');
      expect(checks.get('s3 bucket')?.detail).toContain('bucket "archive" does not exist');
    });

    describe('after a start', () => {
      beforeAll(async () => {
        await (await serve({ env: settings })).close();
      }, 60_000);

      it('finds all of it', async () => {
        const checks = await examine();
        expect(wrongOf(checks)).toEqual([]);
        expect(checks.get('kafka')?.detail).toMatch(/; [1-9]\d* topics$/);
        expect(checks.get('schema registry')?.detail).toMatch(/all \d+ schemas are registered/);
        expect(checks.get('postgres')?.detail).toContain('the tables are up to date');
        expect(checks.get('s3 permissions')?.state).toBe('ok');
        expect(checks.get('installation')?.detail).toMatch(/^all stores belong to /);
      });

      it('names a server that refuses its credentials, and that alone', async () => {
        const s3 = await examine({ SLUICE_S3_SECRET_ACCESS_KEY: 'wrong' });
        expect(wrongOf(s3)).toEqual(['s3 bucket']);
        expect(s3.get('s3 bucket')).toMatchObject({
          state: 'failed',
          advice: expect.stringContaining('key') as unknown,
        });
        expect(s3.get('s3 bucket')?.detail).toContain('s3.secretAccessKey');

        const database = await examine({ SLUICE_POSTGRES_URL: postgres.url.replace('sluice@', 'nobody@') });
        expect(wrongOf(database)).toEqual(['postgres']);
        expect(database.get('postgres')?.detail).toContain('nobody');

        const broker = await examine({
          ...{ SLUICE_KAFKA_BROKERS: JSON.stringify([kafka.saslUrl]), SLUICE_KAFKA_SASL_MECHANISM: 'scram-sha-256' },
          ...{ SLUICE_KAFKA_SASL_USERNAME: 'sluice', SLUICE_KAFKA_SASL_PASSWORD: 'wrong' },
        });
        expect(wrongOf(broker)).toEqual(['kafka']);
        expect(broker.get('kafka')?.detail).toContain('Kafka refuses the user');
        const signedIn = await examine({
          ...{ SLUICE_KAFKA_BROKERS: JSON.stringify([kafka.saslUrl]), SLUICE_KAFKA_SASL_MECHANISM: 'scram-sha-256' },
          ...{ SLUICE_KAFKA_SASL_USERNAME: 'sluice', SLUICE_KAFKA_SASL_PASSWORD: 'sluice-secret' },
        });
        expect(signedIn.get('kafka')?.detail).toMatch(/^version \d/);
      });

      it('fails when a store belongs to another installation, and warns when one is new', async () => {
        const marked = await examine({ SLUICE_QDRANT_PREFIX: 'fresh-' });
        expect(wrongOf(marked)).toEqual(['installation']);
        expect(marked.get('installation')).toMatchObject({ state: 'warning' });
        expect(marked.get('installation')?.detail).toContain('the vector store is new');

        const metadata = { installation_id: 'somebody-elses' };
        const made = await fetch(`${qdrant.url}/collections/other-installation`, {
          ...{ method: 'PUT', headers: { 'content-type': 'application/json' } },
          body: JSON.stringify({ vectors: {}, metadata }),
        });
        expect(made.ok).toBe(true);
        const mixed = await examine({ SLUICE_QDRANT_PREFIX: 'other-' });
        expect(wrongOf(mixed)).toEqual(['installation']);
        expect(mixed.get('installation')).toMatchObject({ state: 'failed' });
        expect(mixed.get('installation')?.detail).toContain('the vector store belongs to installation somebody-elses');
      });

      it('says within seconds of each server that does not answer what to do', async () => {
        const nobody = `127.0.0.1:${await freePort()}`;
        const began = performance.now();
        const checks = await examine({
          SLUICE_KAFKA_BROKERS: JSON.stringify([nobody]),
          SLUICE_REGISTRY_URL: `http://${nobody}`,
          SLUICE_POSTGRES_URL: `postgres://sluice@${nobody}/sluice`,
          SLUICE_S3_ENDPOINT: `http://${nobody}`,
          SLUICE_QDRANT_URL: `http://${nobody}`,
        });
        expect(performance.now() - began).toBeLessThan(20_000);
        expect(wrongOf(checks)).toEqual(['kafka', 'schema registry', 'postgres', 's3 server', 'qdrant']);
        for (const name of wrongOf(checks)) {
          expect(checks.get(name)).toMatchObject({
            ...{ state: 'failed', advice: expect.stringContaining('start it, or correct') as unknown },
            detail: expect.not.stringMatching(/\n|TypeError| at \S+:\d+:\d+/) as unknown,
          });
        }
      });
    });
  });
}
