import { topics } from '../../schema/topics.js';
import { errorInfo } from '../domain/errors.js';
import { output, type Output } from './processor.js';

/** The version that a stage's message was about. */
interface OfVersion {
  readonly workspace: string;
  readonly collection: string;
  readonly document_id: string;
  readonly version: number;
  readonly version_hash: string;
  readonly space?: string;
  readonly pack?: number;
}

/** What a stage tells the librarian of a message that it gives up: the version failed, where and why. */
export function failedCommand(
  stage: string,
  message: OfVersion,
  error: unknown,
): Output<typeof topics.documentCommands> {
  const { workspace, collection, document_id, version, version_hash, space, pack } = message;
  const { code, message: reason } = errorInfo(error);
  return output(topics.documentCommands, {
    kind: 'failed',
    ...{ workspace, collection, document_id, version, version_hash, stage, code, reason },
    ...(space === undefined ? {} : { space }),
    ...(pack === undefined ? {} : { pack }),
  });
}
