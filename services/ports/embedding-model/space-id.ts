import { createHash } from 'node:crypto';

/** Everything that makes two vectors comparable. */
export interface SpaceFacts {
  readonly provider: string;
  readonly model: string;
  /** Revision, or a digest of the weights. */
  readonly revision: string;
  readonly dimensions: number;
  readonly pooling: string;
  readonly normalised: boolean;
  /** How each side is encoded, prefixes included. */
  readonly documents: string;
  readonly queries: string;
}

/** The id of a space that configuration does not name: 32 hex digits of the sha256 over what makes it. */
export const spaceIdOf = (facts: SpaceFacts): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        facts.provider,
        facts.model,
        facts.revision,
        facts.dimensions,
        facts.pooling,
        facts.normalised,
        facts.documents,
        facts.queries,
      ]),
    )
    .digest('hex')
    .slice(0, 32);
