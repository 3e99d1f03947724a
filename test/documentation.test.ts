import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

describe('documentation', () => {
  it('repeats the error table and the settings as the code has them', () => {
    const { status, stderr } = spawnSync(process.execPath, ['document.mjs', '--check'], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });
});
