import type { Sections } from './runtime/configuration/fields.js';
import { logConfig } from './runtime/log.js';

/** Every section of the configuration, for the server, `sluice config` and the reference in the documentation. */
export const allSections = () =>
  ({
    log: logConfig,
  }) as const satisfies Sections;

/** Variables of the client and the command line, which may stand in the server's environment too. */
export const clientVariables = ['SLUICE_URL', 'SLUICE_API_KEY', 'SLUICE_WORKSPACE'] as const;
