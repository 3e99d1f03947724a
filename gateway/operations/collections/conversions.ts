import { randomUUID } from 'node:crypto';
import { topics } from '../../../schema/topics.js';
import type { NewDocumentCommand } from '../../../schema/generated.js';
import { SluiceError } from '../../../services/domain/errors.js';
import { output } from '../../../services/runtime/processor.js';
import type { Conversion, CreateCollection, Submitted } from '../../client/types.js';
import { requireUnfiltered } from '../../access/require-unfiltered.js';
import type { Call, GatewayContext } from '../context.js';
import { chunkerView, spaceView } from '../views/collection.js';
import { pinnedModel, pinnedSpec } from './pinning.js';
import { requireActiveCollection } from './require-collection.js';

const shownFailures = 100;

/** Begins to embed a collection in another space. Throws collection-not-found, space-mismatch for an unknown model. */
export async function reindexCollection(
  context: GatewayContext,
  call: Call,
  { collection, model }: { collection: string; model: string },
): Promise<Submitted> {
  const target = JSON.stringify(pinnedModel(context.ports.embeddingModels, model).space);
  return command(context, call, collection, { kind: 'reindex', target });
}

/** Lets a reindex end without the live documents that failed in it. */
export const skipFailed = (
  context: GatewayContext,
  call: Call,
  { collection }: { collection: string },
): Promise<Submitted> => command(context, call, collection, { kind: 'reindex-skip-failed' });

/** Ends a reindex with everything as it was. */
export const abortReindex = (
  context: GatewayContext,
  call: Call,
  { collection }: { collection: string },
): Promise<Submitted> => command(context, call, collection, { kind: 'reindex-abort' });

/** Begins to cut a collection's texts anew. Throws collection-not-found, invalid-argument, collection-read-only. */
export async function rechunkCollection(
  context: GatewayContext,
  call: Call,
  { collection, chunker }: { collection: string; chunker: NonNullable<CreateCollection['chunker']> },
): Promise<Submitted> {
  const { chunkerSpec } = await requireActiveCollection(context, call, collection);
  if (chunkerSpec === null) {
    throw new SluiceError('collection-read-only', `collection "${collection}" is read-only: it has no texts to cut`);
  }
  const target = JSON.stringify(pinnedSpec(chunker));
  return command(context, call, collection, { kind: 'rechunk', target });
}

/** How far a reindex or rechunk has come; without one, the same figures at rest. Throws collection-not-found. */
export async function getConversion(
  context: GatewayContext,
  call: Call,
  request: { collection: string },
): Promise<Conversion> {
  requireUnfiltered(call.caller, 'see how far a reindex has come');
  const collection = await requireActiveCollection(context, call, request.collection);
  const { workspace, id, space, targetSpace, chunkerSpec, conversion } = collection;
  const progress = await context.ports.catalog.conversionProgress(workspace, id, shownFailures);
  return {
    collection: id,
    kind: conversion?.kind ?? null,
    space: spaceView(space),
    target_space: targetSpace === null ? null : spaceView(targetSpace),
    chunker: chunkerSpec === null ? null : chunkerView(chunkerSpec),
    documents: progress.live,
    // Before all are marked, all that are not may have to be.
    waiting: conversion?.walked === false ? progress.live - progress.failed : progress.waiting,
    failed: progress.failed,
    windowed_chunks: progress.windowedChunks,
    failures: progress.failures.map(({ documentId, version, behind: { stage, code, reason } }) => ({
      ...{ document_id: documentId, version, stage, code, reason },
    })),
  };
}

async function command(
  context: GatewayContext,
  call: Call,
  name: string,
  asked: Pick<NewDocumentCommand, 'kind' | 'target'>,
): Promise<Submitted> {
  requireUnfiltered(call.caller, 'change a collection');
  const { workspace } = call.caller;
  const { id } = await requireActiveCollection(context, call, name);
  const key = { workspace, collection: id };
  const operation = await context.ports.catalog.createOperation({
    ...{ ...key, id: randomUUID(), kind: asked.kind, documentId: '' },
  });
  await context.publisher.publish([
    output(topics.documentCommands, { ...asked, ...key }, { 'message-id': operation.id, workspace }),
  ]);
  return { document_id: '', operation_id: operation.id, collection: id, state: operation.state };
}
