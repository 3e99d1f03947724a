export type { Check } from '../services/check.js';
export type { ServeOptions } from '../services/settings.js';

/** The server's own code, loaded only when a command needs it: it brings engines with it. */
export const serverModule = () => import('../services/main.js');
