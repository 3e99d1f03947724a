/** The bytes of `source` in buffers of exactly `partBytes`, the last one shorter; none for an empty source. */
export async function* partsOf(source: AsyncIterable<Buffer>, partBytes: number): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  for await (let bytes of source) {
    while (waitingBytes + bytes.length >= partBytes) {
      const taken = partBytes - waitingBytes;
      yield Buffer.concat([...waiting, bytes.subarray(0, taken)], partBytes);
      bytes = bytes.subarray(taken);
      waiting = [];
      waitingBytes = 0;
    }
    if (bytes.length === 0) continue;
    waiting.push(bytes);
    waitingBytes += bytes.length;
  }
  if (waitingBytes > 0) yield Buffer.concat(waiting, waitingBytes);
}
