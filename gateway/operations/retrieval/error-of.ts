import type { ErrorInfo } from '../../../schema/generated.js';
import { isErrorCode, SluiceError } from '../../../services/domain/errors.js';

/** A processor's error as an error of ours; a code that a newer processor knows and we do not is `internal`. */
export const errorOf = ({ code, message }: ErrorInfo): SluiceError =>
  isErrorCode(code) ? new SluiceError(code, message) : new SluiceError('internal', `${code}: ${message}`);
