import { Type } from '@sinclair/typebox';
import { nullable, timestamp } from './scalars.js';

export const recoverRequestSchema = Type.Object(
  {
    stalled_after_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'How long a version in flight must have been silent. 0: all that no queue holds any more.',
      }),
    ),
    batch_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'Versions in one step.' })),
    dry_run: Type.Optional(Type.Boolean({ description: 'Only count.' })),
    orphans: Type.Optional(Type.Boolean({ description: 'Remove points of versions that the catalog does not know.' })),
    force: Type.Optional(Type.Boolean({ description: 'Remove orphans even if they are over 1 % of all points.' })),
  },
  { additionalProperties: false },
);

const heldSchema = Type.Object(
  { topic: Type.String(), group: Type.String(), partition: Type.Integer(), since: timestamp('Since when.') },
  { description: 'Who has not yet read what was on its way: until then nothing counts as stalled.' },
);

const orphansSchema = Type.Object({
  points: Type.Integer({ description: 'Points that were looked at.' }),
  orphans: Type.Integer(),
  removed: Type.Integer(),
});

export const recoveredSchema = Type.Object({
  failed: Type.Integer({ description: 'Silent after their last new attempt: they fail.' }),
  redriven: Type.Integer({ description: 'Driven again from their last durable stage.' }),
  purged: Type.Integer({ description: 'Replaced versions whose remains are removed.' }),
  skipped_no_workspace: Type.Integer(),
  held: nullable(heldSchema),
  orphans: nullable(orphansSchema),
});
