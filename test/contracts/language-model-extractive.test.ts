import { createExtractiveModel } from '../../services/ports/language-model/extractive/extractive.js';
import { wordCounting } from '../services/document-rag/word-counting.js';
import { describeLanguageModelContract } from './language-model-contract.js';

describeLanguageModelContract('extractive', () =>
  Promise.resolve(createExtractiveModel({ embeddingModel: wordCounting() })),
);
