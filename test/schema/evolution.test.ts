import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type avsc from 'avsc';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageTypes, parseSchemas } from '../../schema/codec.js';
import { schemas } from '../../schema/generated.js';
import { arbitraryMessage } from './arbitrary-message.js';

type Schemas = readonly { readonly name: string; readonly [key: string]: unknown }[];
interface FieldSchema {
  readonly name: string;
  readonly type: unknown;
  readonly default?: unknown;
}

/** Why messages of one build cannot be read by the other, either way; the Kafka registry calls this FULL. */
function breaches(before: ReadonlyMap<string, avsc.Type>, after: ReadonlyMap<string, avsc.Type>): string[] {
  return [...before].flatMap(([name, old]) => {
    const now = after.get(name);
    if (now === undefined) return [`${name} is gone`];
    return [[now, old] as const, [old, now] as const].flatMap(([reader, writer], index) => {
      try {
        reader.createResolver(writer);
        return [];
      } catch (error) {
        return [
          `${index === 0 ? 'today cannot read' : 'the release cannot read'} ${name}: ${(error as Error).message}`,
        ];
      }
    });
  });
}

const folder = path.join(import.meta.dirname, '../../schema/released');
const versions = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d/.test(name)) : [];
const released = versions.map((version): [string, ReadonlyMap<string, avsc.Type>] => {
  const text = readFileSync(path.join(folder, version, 'schemas.json'), 'utf8');
  return [version, parseSchemas(JSON.parse(text) as Schemas)];
});

const withFields = (name: string, change: (fields: readonly FieldSchema[]) => readonly FieldSchema[]): Schemas =>
  schemas.map((schema) =>
    schema.name === name ? { ...schema, fields: change(schema['fields'] as FieldSchema[]) } : schema,
  );
const breachesOf = (changed: Schemas): string[] => breaches(messageTypes, parseSchemas(changed));

describe('evolution of the schemas', () => {
  it('knows every release by version and commit', () => {
    for (const version of versions) {
      const release = JSON.parse(readFileSync(path.join(folder, version, 'release.json'), 'utf8')) as unknown;
      expect(release).toEqual({ version, commit: expect.stringMatching(/^[0-9a-f]{40}$/) as string });
    }
  });

  it('keeps every release and today readable by each other', () => {
    expect(
      released.flatMap(([version, types]) => breaches(types, messageTypes).map((text) => `${version}: ${text}`)),
    ).toEqual([]);
  });

  it('keeps what they write readable, too', () => {
    for (const [name, now] of messageTypes) {
      for (const [version, types] of released) {
        const old = types.get(name);
        if (old === undefined) continue; // new since
        for (const message of fc.sample(arbitraryMessage(name), 20)) {
          const bytes = now.toBuffer(message);
          const seenByOld = old.fromBuffer(bytes, old.createResolver(now)) as object;
          const back = now.fromBuffer(old.toBuffer(seenByOld), now.createResolver(old)) as object;
          expect(message, `${name} through ${version}`).toMatchObject(seenByOld);
          expect(now.isValid(back), `${name} back from ${version}`).toBe(true);
        }
      }
    }
  });

  it('lets optional fields come and go', () => {
    const extra = { name: 'extra', type: ['null', 'string'], default: null };
    expect(breachesOf(withFields('Purge', (fields) => [...fields, extra]))).toEqual([]);
    expect(
      breachesOf(withFields('DocumentAccepted', (fields) => fields.filter(({ name }) => name !== 'source'))),
    ).toEqual([]);
  });

  it('refuses fields without a default that come or go, other types, other names and messages that are gone', () => {
    const required = { name: 'extra', type: 'string' };
    expect(breachesOf(withFields('Purge', (fields) => [...fields, required]))).toHaveLength(1);
    expect(breachesOf(withFields('Purge', (fields) => fields.slice(1)))).toHaveLength(1);
    const retyped = withFields('Purge', (fields) =>
      fields.map((field) => (field.name === 'version' ? { ...field, type: 'string' } : field)),
    );
    expect(breachesOf(retyped)).toHaveLength(2);
    const widened = withFields('Purge', (fields) =>
      fields.map((field) => (field.name === 'version' ? { ...field, type: ['long', 'string'] } : field)),
    );
    expect(breachesOf(widened)).toHaveLength(1);
    expect(breachesOf(schemas.filter(({ name }) => name !== 'Purge'))).toEqual(['Purge is gone']);
  });
});
