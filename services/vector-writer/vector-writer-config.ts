import { Type } from '@sinclair/typebox';

export const vectorWriterConfig = Type.Object({
  concurrency: Type.Integer({
    description: 'How many rounds of writing are under way at once.',
    default: 2,
    minimum: 1,
  }),
  maxPacksPerRound: Type.Integer({
    description: 'How many packs, of whatever documents, are gathered for one round of writing.',
    default: 256,
    minimum: 1,
  }),
  lingerMs: Type.Integer({
    description: 'How long to wait for more packs before a round begins.',
    default: 5,
    minimum: 0,
  }),
  busyLingerMs: Type.Integer({
    description: 'The same while many packs come, as in a load of small documents.',
    default: 200,
    minimum: 0,
  }),
});
