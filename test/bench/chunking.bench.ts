// Chunking and decoding beside bare tokenization of the same text (the limit) and LangChain's recursive splitter with the
// same token counter and sizes (the obvious peer), over the documentation of installed packages.
import { readFileSync } from 'node:fs';
import { RecursiveCharacterTextSplitter } from '@langchain/textsplitters';
import { countTokens, DEFAULT_MERGE_CACHE_SIZE, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base';
import { globSync } from 'tinyglobby';
import { chunk } from '../../services/chunker/chunk.js';
import { decode } from '../../services/decoder/decode.js';
import { defaultChunkerSpec, type ChunkerSpec } from '../../services/domain/chunker-spec.js';
import { compare } from './compare.js';

// The chunker turns the library's cache off; bare tokenization is to have it.
setMergeCacheSize(DEFAULT_MERGE_CACHE_SIZE);

const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
const files = globSync(['node_modules/**/README.md', 'node_modules/fastify/docs/**/*.md']);
const texts = files.map((file) => readFileSync(file, 'utf8'));
const amount = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6;
const decoded = texts.map((text) => decode('markdown', text, undefined, true).blocks);

const peer = RecursiveCharacterTextSplitter.fromLanguage('markdown', {
  chunkSize: defaultChunkerSpec.size,
  chunkOverlap: defaultChunkerSpec.overlap,
  lengthFunction: (text) => countTokens(text, asText),
});

const chunking = (name: string, change: Partial<ChunkerSpec>) => ({
  name,
  amount,
  run: (): void => {
    for (const blocks of decoded) chunk({ ...defaultChunkerSpec, ...change }, blocks, undefined, true);
  },
});

await compare(
  `chunking ${files.length} Markdown files`,
  'MB',
  [
    { name: 'bare tokenization', amount, run: () => texts.forEach((text) => countTokens(text, asText)) },
    chunking('structure/1, 512 tokens', {}),
    chunking('structure/1, 200 tokens', { size: 200, overlap: 25 }),
    chunking('fixed/1, 512 tokens', { strategy: 'fixed' }),
    chunking('structure/1, 300 words', { tokenizer: 'words', size: 300 }),
    {
      name: 'decoding Markdown',
      amount,
      run: () => texts.forEach((text) => decode('markdown', text, undefined, true)),
    },
    {
      name: '@langchain/textsplitters, 512 tokens',
      amount,
      run: async () => {
        for (const text of texts) await peer.splitText(text);
      },
    },
  ],
  20,
);
