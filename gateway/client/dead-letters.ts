import { part, type HttpCall } from './transport.js';
import type { DeadLetterQuery } from './types.js';

const letterPath = (letterId: string): string => `/dead-letters/${part(letterId)}`;

/** The calls about dead letters. */
export const deadLetterCalls = {
  page: (query: DeadLetterQuery): HttpCall => ({ method: 'GET', path: '/dead-letters', query }),
  show: (letterId: string): HttpCall => ({ method: 'GET', path: letterPath(letterId) }),
  replay: (letterId: string): HttpCall => ({ method: 'POST', path: `${letterPath(letterId)}/replay` }),
  drop: (letterId: string): HttpCall => ({ method: 'DELETE', path: letterPath(letterId) }),
} as const;
