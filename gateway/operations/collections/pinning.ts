import { defaultChunkerSpec, type ChunkerSpec } from '../../../services/domain/chunker-spec.js';
import { describeSpace } from '../../../services/domain/embedding-space.js';
import { SluiceError } from '../../../services/domain/errors.js';
import { defaultLexicalAnalysis, type LexicalAnalysis } from '../../../services/domain/lexical-analysis.js';
import { stemmerOf } from '../../../services/domain/lexical/stemmer.js';
import type { EmbeddingModel, EmbeddingModels } from '../../../services/ports/embedding-model/port.js';
import type { CreateCollection } from '../../client/types.js';

/** The configured model that `wanted` names by space id or model name; none named: the default one. */
export function pinnedModel(models: EmbeddingModels, wanted: string | undefined): EmbeddingModel {
  if (wanted === undefined) return models.default;
  const found = models.all.filter(({ space }) => space.id === wanted || space.model === wanted);
  if (found[0] !== undefined && found.length === 1) return found[0];
  const configured = models.all.map(({ space }) => describeSpace(space)).join(', ');
  throw new SluiceError(
    'space-mismatch',
    found.length === 0
      ? `no configured embedding model is named "${wanted}": choose one of ${configured}, or add it to the configuration`
      : `more than one embedding model is named "${wanted}": name a space id of ${configured}`,
  );
}

/** The default spec with what the caller wants otherwise. Throws invalid-argument if the overlap is not below the size. */
export function pinnedSpec(wanted: CreateCollection['chunker'] = {}): ChunkerSpec {
  const size = wanted.size ?? defaultChunkerSpec.size;
  const spec: ChunkerSpec = {
    strategy: wanted.strategy ?? defaultChunkerSpec.strategy,
    version: defaultChunkerSpec.version,
    size,
    // A smaller size alone keeps the default's proportion, so that naming a size is enough.
    overlap: wanted.overlap ?? Math.min(defaultChunkerSpec.overlap, Math.floor(size / 8)),
    tokenizer: wanted.tokenizer ?? (wanted.strategy === 'fixed' ? 'words' : defaultChunkerSpec.tokenizer),
    contextPrefix: wanted.context_prefix ?? defaultChunkerSpec.contextPrefix,
  };
  if (spec.overlap < spec.size) return spec;
  throw new SluiceError(
    'invalid-argument',
    `chunker overlap ${spec.overlap} must be below its size ${spec.size}: choose a smaller overlap`,
  );
}

/** The default analysis in another language. Throws invalid-argument for one that is unknown. */
export function pinnedAnalysis(language: string | undefined): LexicalAnalysis {
  if (language === undefined) return defaultLexicalAnalysis;
  stemmerOf(language);
  return { ...defaultLexicalAnalysis, language };
}
