import { CommanderError } from 'commander';
import { SluiceApiError } from '../gateway/client/client.js';
import { SluiceError } from '../services/domain/errors.js';
import { UsageError } from './usage-error.js';

export const exitCodes = {
  done: 0,
  /** Something failed: some documents of a load, a check of doctor, the command itself. */
  failed: 1,
  /** What was typed cannot be done: nothing was changed. */
  usage: 2,
  /** The server does not answer, or says that it cannot serve now. */
  unreachable: 3,
  /** The collection is pinned to another embedding space or chunker spec. */
  pinned: 4,
  /** Ctrl-C: 128 + SIGINT. */
  interrupted: 130,
} as const;

const exitCodeOfError: Readonly<Record<string, number>> = {
  usage: exitCodes.usage,
  'invalid-argument': exitCodes.usage,
  'workspace-required': exitCodes.usage,
  'configuration-invalid': exitCodes.usage,
  'not-found': exitCodes.usage,
  'collection-not-found': exitCodes.usage,
  'document-not-found': exitCodes.usage,
  'chunk-not-found': exitCodes.usage,
  'collection-exists': exitCodes.usage,
  'unsupported-mode': exitCodes.usage,
  unsupported: exitCodes.usage,
  'data-folder-in-use': exitCodes.usage,
  unauthorized: exitCodes.usage,
  forbidden: exitCodes.usage,
  unreachable: exitCodes.unreachable,
  unavailable: exitCodes.unreachable,
  'deadline-exceeded': exitCodes.unreachable,
  'space-mismatch': exitCodes.pinned,
  'spec-mismatch': exitCodes.pinned,
};

/** The code and message of anything thrown: the server's own, `usage`, or `internal`. */
export function describeError(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof SluiceApiError || error instanceof SluiceError) {
    return { code: error.code, message: error.message };
  }
  if (error instanceof UsageError) return { code: 'usage', message: error.message };
  if (error instanceof CommanderError) return { code: 'usage', message: error.message.replace(/^error: /u, '') };
  return { code: 'internal', message: error instanceof Error ? error.message : String(error) };
}

/** What the process ends with after an error of this code. */
export const exitCodeOf = (code: string): number => exitCodeOfError[code] ?? exitCodes.failed;
