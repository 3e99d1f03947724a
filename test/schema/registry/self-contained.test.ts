import { describe, expect, it } from 'vitest';
import { messageTypes, parseSchemas } from '../../../schema/codec.js';
import { schemas } from '../../../schema/generated.js';
import { selfContained } from '../../../schema/registry/self-contained.js';

const whole = selfContained(schemas);

describe('self-contained schemas', () => {
  it.each(schemas.map(({ name }) => name))('%s stands for itself and means the same', (name) => {
    const schema = whole.get(name);
    const type = schema && parseSchemas([schema]).get(name);
    expect(JSON.stringify(type?.schema())).toBe(JSON.stringify(messageTypes.get(name)?.schema()));
  });

  it('keeps documentation and defaults', () => {
    expect(JSON.stringify(whole.get('Purge'))).toBe(JSON.stringify(schemas.find(({ name }) => name === 'Purge')));
  });
});
