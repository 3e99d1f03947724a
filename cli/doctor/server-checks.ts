import type { Collection, Models, SluiceApi } from '../../gateway/client/client.js';
import { count, counted } from '../output/numbers.js';
import type { Check } from '../server-module.js';
import { describeError } from '../exit-codes.js';

/** What a running server says of itself; one failed check if none answers. */
export async function serverChecks(client: SluiceApi, url: string, signal: AbortSignal): Promise<Check[]> {
  const checks: Check[] = [];
  try {
    const health = await client.health({ signal });
    const ready = health.status === 'ok';
    const wrong = Object.entries(health.checks)
      .filter(([, state]) => state !== 'ok')
      .map(([name, state]) => `${name} (${String(state)})`);
    checks.push({
      name: 'server',
      state: ready ? 'ok' : 'failed',
      detail: ready
        ? `${url} answers and is ready (version ${health.version})`
        : `${url} is not ready: ${wrong.join(', ')}`,
      ...(ready ? {} : { advice: 'what is named here must run and be reachable; then the server goes on by itself' }),
    });
    checks.push(...(await workspaceChecks(client, signal)));
  } catch (error) {
    const { code, message } = describeError(error);
    checks.push({
      name: 'server',
      state: 'failed',
      detail: message,
      advice:
        code === 'unreachable'
          ? 'start it with sluice serve, or name the one that runs with --url'
          : 'check --url, --api-key and --workspace',
    });
  }
  return checks;
}

async function workspaceChecks(client: SluiceApi, signal: AbortSignal): Promise<Check[]> {
  const [status, models, collections] = await Promise.all([
    client.status({ signal }),
    client.models({ signal }),
    client.listCollections({ signal }),
  ]);
  const { documents } = status;
  const atWork = documents.pending + documents.processing;
  return [
    {
      name: 'documents',
      state: documents.failed > 0 ? 'warning' : 'ok',
      detail:
        `${counted(documents.ready, 'document')} ready, ${count(atWork)} at work, ${count(documents.failed)} failed; ` +
        `${counted(status.chunks, 'chunk')}, ${counted(status.vectors, 'vector')}`,
      ...(documents.failed > 0 ? { advice: 'see why: sluice documents list --state failed' } : {}),
    },
    {
      name: 'dead letters',
      state: status.dead_letters > 0 ? 'warning' : 'ok',
      detail: count(status.dead_letters),
      ...(status.dead_letters > 0 ? { advice: 'the server’s log names each with its reason' } : {}),
    },
    {
      name: 'embedding models',
      state: models.embedding.length === 0 ? 'failed' : 'ok',
      detail: models.embedding
        .map(({ space, default: isDefault }) => `${space.model}/${space.dimensions}${isDefault ? ' (default)' : ''}`)
        .join(', '),
      ...(models.embedding.length === 0 ? { advice: 'configure one: see sluice config' } : {}),
    },
    { name: 'language model', state: 'ok', detail: models.language.name },
    ...collections.map((collection) => pinCheck(collection, models)),
  ];
}

/** Whether the collection's pinned space can still be served. */
function pinCheck(collection: Collection, models: Models): Check {
  const { space, chunker } = collection;
  const served = models.embedding.some((model) => model.space.id === space.id);
  const pinned =
    `pinned to ${space.model}/${space.dimensions} (space ${space.id})` +
    (chunker === null ? ', read-only' : `, chunks of ${chunker.size} ${chunker.tokenizer}`);
  return {
    name: `collection ${collection.collection}`,
    state: served ? 'ok' : 'failed',
    detail: served ? pinned : `${pinned}, which no configured model serves`,
    ...(served
      ? {}
      : { advice: `configure the model ${space.model} again, or load the documents into a new collection` }),
  };
}
