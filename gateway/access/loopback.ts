import { isIPv4 } from 'node:net';
import { SluiceError } from '../../services/domain/errors.js';

/** Whether only this machine can reach or mean the host. */
function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'));
}

/** Throws configuration-invalid for an address that others can reach while nobody has to show a key. */
export function checkListenAddress(host: string, hasKeys: boolean): void {
  if (hasKeys || isLoopback(host)) return;
  throw new SluiceError(
    'configuration-invalid',
    `gateway.host ${JSON.stringify(host)} can be reached from other machines, and no gateway.apiKeys are configured: ` +
      'configure at least one key, or listen on 127.0.0.1',
  );
}

/**
 * Throws forbidden for a request that a web page may have sent: a Host that is not this machine (DNS rebinding), or an
 * Origin other than the server's own (cross-site requests). Without keys nothing else stands between pages and data.
 */
export function checkHostAndOrigin(host: string | undefined, origin: string | undefined): void {
  const name = /^(\[[0-9a-f:.]+\]|[^:/?#@\\\s]+)(:\d{1,5})?$/i.exec(host ?? '')?.[1];
  if (host === undefined || name === undefined || !isLoopback(name)) {
    throw new SluiceError(
      'forbidden',
      `without API keys only this machine is served, not Host ${JSON.stringify(host ?? '')}: ` +
        'use http://127.0.0.1 or http://localhost, or configure gateway.apiKeys',
    );
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    throw new SluiceError(
      'forbidden',
      `without API keys no other web page may call this server (Origin ${JSON.stringify(origin)})`,
    );
  }
}
