import { createHash } from 'node:crypto';

/** What makes vectors comparable. Two models that agree in all of it share a space. */
export interface SpaceIdentity {
  readonly provider: string;
  readonly model: string;
  /** Of the weights or the code: another one makes other vectors. */
  readonly revision: string;
  readonly dimensions: number;
  readonly pooling: string;
  /** Prefixes or names of the two encoders. */
  readonly documentEncoder: string;
  readonly queryEncoder: string;
}

/** A space's id when configuration declares none: the model's name, to be recognised, and a digest of all that counts. */
export function spaceIdOf(identity: SpaceIdentity): string {
  const { provider, model, revision, dimensions, pooling, documentEncoder, queryEncoder } = identity;
  const digest = createHash('sha256')
    .update([provider, model, revision, String(dimensions), pooling, documentEncoder, queryEncoder].join('\0'))
    .digest('hex');
  return `${provider}-${digest.slice(0, 16)}`;
}
