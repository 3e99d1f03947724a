import { describe, expect, it } from 'vitest';
import { findMarkers } from '../../../services/domain/citations/markers.js';
import { sliceCodePoints } from '../../../services/domain/code-point-slice.js';
import { createExtractiveModel } from '../../../services/ports/language-model/extractive/extractive.js';
import { allReplies, answerOf, blobStoreForTest, found, saying, storeDocument } from './harness.js';
import { wordCounting } from './word-counting.js';

/** Chunks of documents in ten scripts, Markdown and HTML among them, some with characters beyond the basic plane. */
const documents: Record<string, readonly string[]> = {
  Latin: [
    '# Café\n\nDr. Müller opened the café at nine. 𝕋he “naïve” guests came at ten!\n\n- coffee costs 2.50 €',
    'Tea is free.',
  ],
  Cyrillic: ['Мельница стоит у реки. Она мелет зерно с 1764 года.', '## Цены\n\nХлеб стоит два рубля.'],
  Greek: ['Ο μύλος γυρίζει όλη μέρα. Είναι παλιός;', 'Το ψωμί είναι ζεστό.'],
  Arabic: ['الطاحونة بجانب النهر. هل تدور كل يوم؟ نعم، تدور دائما.', 'الخبز ساخن.'],
  Hebrew: ['הטחנה עומדת ליד הנהר. היא טוחנת חיטה.', 'הלחם חם.'],
  Devanagari: ['चक्की नदी के पास है। वह अनाज पीसती है।', 'रोटी गरम है।'],
  Thai: ['โรงสีอยู่ริมแม่น้ำ และหมุนทั้งวัน', 'ขนมปังร้อน'],
  Chinese: ['磨坊在河边。它每天转动！𠮷野家也在那里。', '面包是热的。'],
  Japanese: ['水車は川のそばにあります。毎日回ります。', '<p>パンは<b>熱い</b>です。</p>'],
  Korean: ['방앗간은 강가에 있습니다. 매일 돌아갑니다 👨‍👩‍👧‍👦.', '빵은 뜨겁습니다.'],
};

describe('the quotes of citations', () => {
  it.each(Object.entries(documents))('are slices of the stored text: %s', async (script, chunks) => {
    const blobStore = await blobStoreForTest();
    const { hits, text } = await storeDocument(blobStore, script, chunks);
    const sentences = chunks
      .flatMap((chunk) => chunk.split(/\n+|(?<=[.!?。！？।؟])\s*/u))
      .filter((part) => /\p{L}/u.test(part));
    for (const question of sentences) {
      const languageModel = createExtractiveModel({ embeddingModel: wordCounting(), minOverlap: 0.01 });
      const extracted = answerOf(await allReplies(found(question, hits), { blobStore, languageModel }));
      const generated = chunks.map((_, index) => `${question} [${index + 1}]`).join(' ');
      const said = answerOf(await allReplies(found(question, hits), { blobStore, languageModel: saying(generated) }));
      expect(said.citations.length).toBeGreaterThan(0);
      for (const { start, end, quote } of [...extracted.citations, ...said.citations]) {
        expect(quote).not.toBe('');
        expect(sliceCodePoints(text, start, end)).toBe(quote);
      }
      for (const { n } of extracted.citations) {
        expect(findMarkers(extracted.text, chunks.length).flatMap(({ ordinals }) => ordinals)).toContain(n);
      }
    }
  });

  it('are the very sentence that was extracted, though it was written over two lines', async () => {
    const blobStore = await blobStoreForTest();
    const { hits } = await storeDocument(blobStore, 'wrapped', [
      'First.\n\n> The mill by\n> the river [2] turns\n> all day. Then it stops.',
    ]);
    const languageModel = createExtractiveModel({ embeddingModel: wordCounting(), maxSentences: 1 });
    const answer = answerOf(await allReplies(found('river mill turns', hits), { blobStore, languageModel }));
    expect(answer.text).toBe('The mill by the river \\[2] turns all day. [1]');
    expect(answer.citations.map(({ quote }) => quote)).toEqual(['The mill by\n> the river [2] turns\n> all day.']);
  });
});
