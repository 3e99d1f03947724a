import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SluiceError } from '../../services/domain/errors.js';
import type { Operation, Submitted } from '../client/types.js';
import { isSettled, waitForOperation } from '../operations/progress/operation.js';
import type { GatewayContext } from '../operations/context.js';

export const waitQuery = {
  wait: Type.Optional(
    Type.String({ description: '`true`, or seconds: answer when the operation has ended, or the time is over.' }),
  ),
};

/** How long the asker wants to wait, in ms: from the query, else from `Prefer: wait=SECONDS`; undefined: not at all. */
export function wantedWaitMs(wait: string | undefined, prefer: string | string[] | undefined): number | undefined {
  const text = wait ?? /(?:^|[,;\s])wait=(\d+)/i.exec([prefer].flat().join(','))?.[1];
  if (text === undefined || text === 'false') return undefined;
  if (text === '' || text === 'true') return Infinity;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1_000;
  throw new SluiceError('invalid-argument', `wait=${text} is neither true, false nor a number of seconds`);
}

type WaitingRequest = Pick<FastifyRequest, 'call' | 'headers'> & { readonly query: { readonly wait?: string } };

/** Answers 202 with the operation just accepted; or waits, if asked to, and answers 200 with how it ended. */
export async function replyWithOperation(
  context: GatewayContext,
  { call, headers, query }: WaitingRequest,
  reply: FastifyReply,
  submitted: Submitted,
): Promise<Submitted | Operation> {
  const waitMs = wantedWaitMs(query.wait, headers.prefer);
  if (waitMs !== undefined) {
    const request = { operation_id: submitted.operation_id, timeout_ms: waitMs };
    const operation = await waitForOperation(context, call, request);
    if (isSettled(operation)) return operation;
  }
  void reply.code(202);
  return submitted;
}
