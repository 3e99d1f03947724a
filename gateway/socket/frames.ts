import { SluiceError } from '../../services/domain/errors.js';

export type FrameId = string | number;

/** What a client sends: a call, or the end of one. */
export type ClientFrame =
  | {
      readonly kind: 'call';
      readonly id: FrameId;
      readonly method: string;
      readonly params: unknown;
      readonly workspace?: string;
    }
  | { readonly kind: 'cancel'; readonly id: FrameId };

/** What is wrong with a frame, and the id to answer, if it has one. */
export class BadFrame extends SluiceError {
  constructor(
    readonly frameId: FrameId | null,
    message: string,
  ) {
    super('invalid-argument', message);
  }
}

/** Reads a frame. Throws BadFrame. */
export function readFrame(text: string): ClientFrame {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch (error) {
    throw new BadFrame(null, `the frame is not valid JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
  if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) {
    throw new BadFrame(null, 'a frame is a JSON object: {"id": 1, "method": "search", "params": {…}}');
  }
  const { id, method, params, cancel, workspace } = frame as Partial<Record<string, unknown>>;
  if (!isFrameId(id)) throw new BadFrame(null, 'the frame has no "id": a string of 1 to 256 characters, or a number');
  if (cancel === true) return { kind: 'cancel', id };
  if (typeof method !== 'string') throw new BadFrame(id, 'the frame has no "method"');
  if (workspace !== undefined && typeof workspace !== 'string') throw new BadFrame(id, '"workspace" must be a string');
  return { kind: 'call', id, method, params: params ?? {}, ...(workspace === undefined ? {} : { workspace }) };
}

const isFrameId = (id: unknown): id is FrameId =>
  typeof id === 'number' || (typeof id === 'string' && id.length >= 1 && id.length <= 256);
