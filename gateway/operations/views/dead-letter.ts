import { headersBeforeDeath } from '../../../services/runtime/delivery/dead-letter.js';
import type { DeadLetter, DeadLetterDetails } from '../../client/types.js';
import type { JudgedLetter } from '../dead-letters/standing.js';

/** A longer message is not shown, only its bytes. */
const maxShownCharacters = 64 * 1024;

export function deadLetterView({ letter, standing, mark, version }: JudgedLetter): DeadLetter {
  const { headers, value, timestamp } = letter.record;
  const { kind, collection, documentId } = letter.subject;
  return {
    letter_id: letter.id,
    state: standing,
    topic: letter.topic,
    processor: letter.processor,
    code: headers['error-code'] ?? 'internal',
    reason: headers['error-message'] ?? '',
    attempts: Number(headers['attempts'] ?? 1),
    kind: kind ?? null,
    collection: collection ?? null,
    document_id: documentId ?? null,
    version:
      version === undefined
        ? null
        : {
            version: version.version,
            version_hash: version.versionHash,
            state: version.state,
            stage: version.stage,
            code: version.code,
            reason: version.reason,
          },
    size_bytes: value.length,
    published_at: new Date(letter.publishedAt).toISOString(),
    failed_at: new Date(timestamp).toISOString(),
    operation_id: mark?.operation ?? null,
  };
}

export function deadLetterDetailsView(judged: JudgedLetter): DeadLetterDetails {
  const { record, message } = judged.letter;
  const shown = JSON.stringify(message ?? null);
  return {
    ...deadLetterView(judged),
    key: record.key,
    headers: headersBeforeDeath(record.headers),
    stack: record.headers['error-stack'] ?? '',
    value_base64: record.value.toString('base64'),
    message: shown.length <= maxShownCharacters ? JSON.parse(shown) : null,
  };
}
