import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from '@sinclair/typebox';
import { errorTable, SluiceError } from '../../services/domain/errors.js';
import type { problemSchema } from '../api/problem.js';

export type Problem = Static<typeof problemSchema>;

const retryAfterSeconds = 1;

/** An error as callers see it. What is no error of ours is a fault of the server, and tells nothing of its inside. */
export function problemOf(error: SluiceError): Problem {
  const { httpStatus, meaning } = errorTable[error.code];
  return { type: 'about:blank', title: meaning, status: httpStatus, code: error.code, detail: error.message };
}

/** Any thrown value as an error of ours: Fastify's own refusals are the caller's mistakes. */
export function sluiceError(thrown: unknown): SluiceError {
  if (thrown instanceof SluiceError) return thrown;
  if (isFastifyError(thrown)) {
    if (thrown.statusCode === 413) return new SluiceError('too-large', 'the body is larger than gateway.maxBodyBytes');
    if (thrown.statusCode !== undefined && thrown.statusCode >= 400 && thrown.statusCode < 500) {
      return new SluiceError('invalid-argument', thrown.message);
    }
  }
  return new SluiceError('internal', 'the server met an unexpected fault; its log says which', { cause: thrown });
}

const isFastifyError = (thrown: unknown): thrown is FastifyError =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && thrown.code.startsWith('FST_');

/** Answers any error as problem+json. Nobody hears the answer to a request whose asker has left. */
export function replyWithProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = sluiceError(thrown);
  if (error.code === 'internal' && !request.raw.destroyed) request.log.error({ err: thrown }, 'a request failed');
  const problem = problemOf(error);
  if (error.class === 'unavailable') {
    const seconds = Math.ceil((error.options.retryAfterMs ?? 0) / 1_000);
    void reply.header('retry-after', Math.max(seconds, retryAfterSeconds));
  }
  if (error.code === 'unauthorized') void reply.header('www-authenticate', 'Bearer');
  void reply.code(problem.status).type('application/problem+json').send(problem);
}
