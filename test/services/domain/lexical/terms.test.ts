import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultLexicalAnalysis } from '../../../../services/domain/lexical-analysis.js';
import { lexicalLanguages } from '../../../../services/domain/lexical/stemmer.js';
import { terms } from '../../../../services/domain/lexical/terms.js';

const english = (text: string): string[] => terms(text, defaultLexicalAnalysis);
const plain = (text: string): string[] => terms(text, { version: 1, language: 'none' });

describe('lexical terms', () => {
  it('are lower-case stems without stop words, in order, repetitions kept', () => {
    expect(english('The embeddings were embedded in the Embedding store.')).toEqual([
      'embed',
      'embed',
      'embed',
      'store',
    ]);
  });

  it('keep versions and identifiers whole and in parts', () => {
    expect(english('Release 7.3.2 of AURA-7')).toEqual(['releas', '7.3.2', '7', '3', '2', 'aura-7', 'aura', '7']);
    expect(english('max_message_bytes')).toEqual(['max_message_bytes', 'max', 'messag', 'byte']);
    expect(english('1,500.75 red,green')).toEqual(['1,500.75', '1', '500', '75', 'red', 'green']);
  });

  it('never stem what holds a digit, and stem the words of a compound', () => {
    expect(english('h264s well-known-services')).toEqual(['h264s', 'well-known-services', 'well', 'known', 'servic']);
  });

  it('take a mark at the end of a sentence for no part of the word', () => {
    expect(english('It ends with 7.3.2. Next: --flag-name, (x)')).toEqual([
      'end',
      '7.3.2',
      '7',
      '3',
      '2',
      'next',
      'flag-name',
      'flag',
      'name',
      'x',
    ]);
  });

  it('are the same for NFC, NFD and compatibility forms', () => {
    expect(plain('cafe\u0301')).toEqual(plain('caf\u00e9'));
    expect(plain('Ｃａｆé ﬁle')).toEqual(['café', 'file']);
    expect(plain('co\u00adoperate')).toEqual(['cooperate']);
  });

  it('treat typographic apostrophes as plain ones', () => {
    expect(english('The president’s plan, don’t wait')).toEqual(english("the president's plan, don't wait"));
    expect(english('president’s')).toEqual(english('presidents'));
    expect(terms("l'homme", { version: 1, language: 'french' })).toEqual(
      terms('homme', { version: 1, language: 'french' }).slice(),
    );
  });

  it('find the words of scripts without spaces', () => {
    expect(plain('ภาษาไทยน้ำ')).toEqual(['ภาษา', 'ไทย', 'น้ำ']);
    expect(plain('今天天气很好')).toContain('今天');
    expect(plain('東京都に住んでいます')).toContain('東京');
    expect(plain('版本7.3.2发布')).toContain('7.3.2');
  });

  it('use the stems and stop words of the language', () => {
    expect(terms('Die Häuser und die Straßen', { version: 1, language: 'german' })).toEqual(['haus', 'strass']);
    expect(plain('The embeddings')).toEqual(['the', 'embeddings']);
    for (const language of lexicalLanguages) expect(terms('7.3.2', { version: 1, language })).toContain('7.3.2');
  });

  it('refuse an unknown language or version', () => {
    expect(() => terms('x', { version: 1, language: 'klingon' })).toThrow(/"klingon" is unknown.*english/);
    expect(() => terms('x', { version: 2, language: 'english' })).toThrow(/version 2/);
  });

  it('contain no white space and no lone surrogates, whatever the text, and do not depend on case or form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        for (const term of english(text)) {
          expect(term).toMatch(/^[^\s\0]+$/u);
          expect(term).not.toMatch(/\p{Surrogate}/u);
        }
        expect(english(text.normalize('NFD'))).toEqual(english(text.normalize('NFC')));
      }),
      { numRuns: 500 },
    );
  });

  it('bound the length of a term', () => {
    expect(english('a'.repeat(5000)).every((term) => term.length <= 128)).toBe(true);
  });
});
