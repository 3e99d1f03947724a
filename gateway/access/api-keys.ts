import { createHash, timingSafeEqual } from 'node:crypto';
import { SluiceError } from '../../services/domain/errors.js';
import { parseFilter } from '../../services/domain/filter/parse-filter.js';
import { workspaceId } from '../../services/domain/identity.js';
import type { GatewayConfig } from '../config.js';
import type { Caller } from '../operations/context.js';

/** Who sent a request, before it is known for which workspace. */
export interface Principal {
  /** The caller of one of the principal's workspaces; none named: its default one. Throws forbidden, invalid-argument. */
  caller(workspace: string | undefined): Caller;
}

/** Finds out who sends a request. */
export interface Authenticator {
  /** Throws unauthorized for a missing or unknown key. */
  authenticate(authorization: string | undefined): Principal;
}

const defaultWorkspace = 'default';

/** Without keys: the one user of this machine, who may speak for every workspace. */
const localUser: Principal = {
  caller: (workspace = defaultWorkspace) => ({ workspace: workspaceId(workspace), local: true }),
};

/**
 * The configured keys. They are compared as digests in constant time, all of them each time. Throws invalid-argument for
 * a workspace or a filter that is none.
 */
export function createAuthenticator(keys: GatewayConfig['apiKeys']): Authenticator {
  if (keys.length === 0) return { authenticate: () => localUser };
  const known = keys.map((entry) => ({ digest: digestOf(entry.key), principal: keyHolder(entry) }));
  return {
    authenticate(authorization) {
      const token = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
      if (token === undefined) throw unauthorized('this server wants an API key: send "Authorization: Bearer KEY"');
      const digest = digestOf(token);
      const matches = known.filter((entry) => timingSafeEqual(entry.digest, digest));
      if (matches[0] === undefined) throw unauthorized('the API key is not known to this server');
      return matches[0].principal;
    },
  };
}

function keyHolder({ workspace, where }: GatewayConfig['apiKeys'][number]): Principal {
  const caller: Caller = {
    workspace: workspaceId(workspace),
    local: false,
    ...(where === undefined ? {} : { required: { where, filter: parseFilter(where) } }),
  };
  return {
    caller(wanted) {
      if (wanted === undefined || wanted === caller.workspace) return caller;
      throw new SluiceError('forbidden', `this API key may not speak for workspace ${JSON.stringify(wanted)}`);
    },
  };
}

const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest();

const unauthorized = (message: string): SluiceError => new SluiceError('unauthorized', message);
