import type { BusRecord } from '../port.js';

/** A record's content without its place. */
export type RecordContent = Pick<BusRecord, 'key' | 'value' | 'headers' | 'timestamp'>;

const fixedBytes = 8 + 8 + 4 + 4;

/** Layout: cumulative bytes f64, timestamp f64, key length i32 (−1: null), headers length u32, key, headers as JSON, value. */
export function encodeFrame(content: RecordContent, bytesBefore: number): Buffer {
  const key = content.key === null ? undefined : Buffer.from(content.key);
  const headers = Buffer.from(JSON.stringify(content.headers));
  const frame = Buffer.allocUnsafeSlow(fixedBytes + (key?.length ?? 0) + headers.length + content.value.length);
  frame.writeDoubleBE(bytesBefore + frame.length, 0);
  frame.writeDoubleBE(content.timestamp, 8);
  frame.writeInt32BE(key?.length ?? -1, 16);
  frame.writeUInt32BE(headers.length, 20);
  let at = fixedBytes;
  if (key !== undefined) at += key.copy(frame, at);
  at += headers.copy(frame, at);
  content.value.copy(frame, at);
  return frame;
}

/** Bytes of all frames of the partition up to and including this one: what a stretch weighs is a subtraction. */
export const frameCumulativeBytes = (frame: Buffer): number => frame.readDoubleBE(0);

export const frameTimestamp = (frame: Buffer): number => frame.readDoubleBE(8);

/** Inverse of encodeFrame; the value is a copy. Throws on a frame that is cut off or garbled. */
export function decodeFrame(frame: Buffer): RecordContent {
  const keyBytes = frame.readInt32BE(16);
  const headerBytes = frame.readUInt32BE(20);
  const headersAt = fixedBytes + Math.max(keyBytes, 0);
  const valueAt = headersAt + headerBytes;
  if (valueAt > frame.length) throw new RangeError('record frame is cut off');
  return {
    timestamp: frameTimestamp(frame),
    key: keyBytes < 0 ? null : frame.toString('utf8', fixedBytes, headersAt),
    headers: JSON.parse(frame.toString('utf8', headersAt, valueAt)) as Record<string, string>,
    value: Buffer.from(frame.subarray(valueAt)),
  };
}
