import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import { SluiceError } from '../../services/domain/errors.js';
import { problemOf } from './problem.js';

/** Answers what is not HTTP, or has headers over the limit, and closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const overflow = error.code === 'HPE_HEADER_OVERFLOW';
  const problem = problemOf(
    overflow
      ? new SluiceError('too-large', 'the URL and the headers together are too long: send metadata in a form instead')
      : new SluiceError('invalid-argument', 'the request is not valid HTTP'),
  );
  const status = overflow ? 431 : problem.status;
  const body = JSON.stringify({ ...problem, status });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
