import { readFileSync } from 'node:fs';
import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';
import { json } from 'node:stream/consumers';
import type { RegistryAccess } from './confluent-client.js';

/** Where registries tell it, each below the URL of their Confluent API: Confluent's own, and Apicurio's. */
const places = ['v1/metadata/version', '../../registry/v3/system/info', '../../registry/v2/system/info'];

/** `version 3.3.3`, or that the registry does not tell it. Never throws: whether it answers is found out where it is used. */
export async function registryVersion(access: RegistryAccess): Promise<string> {
  for (const place of places) {
    const told = await ask(new URL(place, `${access.url.replace(/\/+$/, '')}/`), access).catch(() => undefined);
    if (typeof told !== 'object' || told === null || !('version' in told)) continue;
    if (typeof told.version === 'string') return `version ${told.version}`;
  }
  return 'version not told';
}

function ask(url: URL, { username, password, token, caFile, timeoutMs }: RegistryAccess): Promise<unknown> {
  const options = {
    signal: AbortSignal.timeout(timeoutMs),
    ...(username === '' ? {} : { auth: `${username}:${password}` }),
    ...(token === '' ? {} : { headers: { authorization: `Bearer ${token}` } }),
    ...(caFile === '' ? {} : { ca: readFileSync(caFile) }),
  };
  return new Promise((resolve, reject) => {
    (url.protocol === 'https:' ? getSecure : getPlain)(url, options, (response) => {
      json(response).then(resolve, reject);
    }).on('error', reject);
  });
}
