import { createReadStream } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { systemReason } from '../system-reason.js';
import type { LoadItem } from './plan.js';
import type { Unreadable } from './items.js';
import type { Failure } from './tally.js';

/** What a load would be, counted here without a server. */
export interface Estimate {
  readonly files: number;
  readonly bytes: number;
  /** o200k_base tokens of the files as they are: markup that a decoder drops is counted. */
  readonly tokens: number;
  /** Tokens ÷ chunk size, rounded up file by file: real chunks end at headings and paragraphs, so there are more. */
  readonly chunks: number;
  readonly failed: readonly Failure[];
}

export async function estimate(
  items: AsyncIterable<LoadItem | Unreadable>,
  chunkSize: number,
  signal: AbortSignal,
): Promise<Estimate> {
  let files = 0;
  let bytes = 0;
  let tokens = 0;
  let chunks = 0;
  const failed: Failure[] = [];
  for await (const item of items) {
    signal.throwIfAborted();
    if ('unreadable' in item) {
      failed.push({ source: item.path, code: 'unreadable', reason: item.unreadable });
      continue;
    }
    try {
      const counted = await countFile(item.path, signal);
      files++;
      bytes += counted.bytes;
      tokens += counted.tokens;
      chunks += Math.ceil(counted.tokens / chunkSize);
    } catch (error) {
      signal.throwIfAborted();
      const reason = systemReason(error);
      failed.push({ source: item.path, code: 'unreadable', reason });
    }
  }
  return { files, bytes, tokens, chunks, failed };
}

// Text is full of `<|endoftext|>` and the like: here they are words as any other.
const asText = { disallowedSpecial: new Set<string>() };
const longestLine = 100_000;

async function countFile(path: string, signal: AbortSignal): Promise<{ bytes: number; tokens: number }> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let tokens = 0;
  let rest = '';
  for await (const piece of createReadStream(path, { signal })) {
    const buffer: Uint8Array = piece as Buffer;
    bytes += buffer.length;
    rest += decoder.decode(buffer, { stream: true });
    // Tokens do not reach over line ends often enough to matter, and no more than a line is held.
    const end = rest.lastIndexOf('\n') + 1;
    const cut = end > 0 ? end : rest.length > longestLine ? rest.length : 0;
    if (cut > 0) tokens += countTokens(rest.slice(0, cut), asText);
    rest = rest.slice(cut);
  }
  rest += decoder.decode();
  return { bytes, tokens: tokens + (rest === '' ? 0 : countTokens(rest, asText)) };
}
