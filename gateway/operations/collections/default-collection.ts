import { defaultChunkerSpec } from '../../../services/domain/chunker-spec.js';
import { SluiceError } from '../../../services/domain/errors.js';
import { defaultLexicalAnalysis } from '../../../services/domain/lexical-analysis.js';
import type { Ports } from '../../../services/ports/ports.js';

const defaultWorkspace = 'default';
const defaultCollection = 'default';

/** Makes sure that there is a collection to begin with; one that exists stays as it is. */
export async function ensureDefaultCollection({ catalog, embeddingModels }: Ports): Promise<void> {
  if ((await catalog.collection(defaultWorkspace, defaultCollection)) !== undefined) return;
  try {
    await catalog.createCollection({
      workspace: defaultWorkspace,
      id: defaultCollection,
      name: defaultCollection,
      description: '',
      metadata: {},
      space: embeddingModels.default.space,
      chunkerSpec: defaultChunkerSpec,
      lexical: defaultLexicalAnalysis,
    });
  } catch (error) {
    const madeByAnother = error instanceof SluiceError && error.code === 'collection-exists';
    if (!madeByAnother) throw error;
  }
}
