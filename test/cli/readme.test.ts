import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { defaultUrl } from '../../cli/cli.js';
import { exitCodes } from '../../cli/exit-codes.js';
import { buildProgram } from '../../cli/program.js';
import { gatewayConfig } from '../../gateway/config.js';

const readme = await readFile(new URL('../../cli/README.md', import.meta.url), 'utf8');
const sink = { write: () => true };
const program = buildProgram(
  {
    ...{ env: {}, cwd: '/', stdin: new PassThrough(), stdout: sink, stderr: sink, exitCode: 0 },
    signal: new AbortController().signal,
  },
  '0.1.0',
);

const leaves = (command: Command, path: readonly string[]): { path: string; command: Command }[] =>
  command.commands.length === 0
    ? [{ path: path.join(' '), command }]
    : command.commands.flatMap((under) => leaves(under, [...path, under.name()]));
const commands = leaves(program, ['sluice']);
const section = (path: string): string => readme.split(`\n### \`${path}\`\n`)[1]?.split(/\n##/u)[0] ?? '';
const everywhere = readme.split('\n## Exit codes')[0] ?? '';
const inCommon = readme.split('\n## Questions\n')[1]?.split('\n### ')[0] ?? '';

describe('the documentation of the command line', () => {
  it('has a section for each command, and for nothing else', () => {
    const documented = [...readme.matchAll(/^### `(.+)`$/gmu)].map((match) => match[1]);
    expect(documented.sort()).toEqual(commands.map(({ path }) => path).sort());
  });

  it.each(commands)('names every option of $path', ({ path, command }) => {
    const shared = ['sluice search', 'sluice ask'].includes(path) ? inCommon : '';
    const text = section(path) + shared + everywhere;
    const missing = command.options
      .map((option) => option.long ?? '')
      .filter((long) => !text.includes(`\`${long}`) && !text.includes(` ${long}`));
    expect(missing).toEqual([]);
  });

  it('names no option that does not exist', () => {
    const known = new Set(commands.flatMap(({ command }) => command.options.map((option) => option.long)));
    const named = [...readme.matchAll(/[`, ](--[a-z][a-z-]+)/gu)].map((match) => match[1]);
    expect([...new Set(named)].filter((long) => !known.has(long))).toEqual([]);
  });

  it('has the URL at which a server listens by default', () => {
    const { host, port } = gatewayConfig.properties;
    expect(defaultUrl).toBe(`http://${String(host.default)}:${String(port.default)}`);
    expect(everywhere).toContain(`default \`${defaultUrl}\``);
  });

  it('has every exit code', () => {
    const rows = [...readme.matchAll(/^\| (\d+) +\|/gmu)].map((match) => Number(match[1]));
    expect(rows).toEqual(Object.values(exitCodes));
  });

  it('has JSON that is JSON', () => {
    const blocks = [...readme.matchAll(/```json\n(.+?)```/gsu)].map((match) => match[1] ?? '');
    expect(blocks.length).toBeGreaterThan(15);
    for (const block of blocks) expect(() => JSON.parse(block) as unknown).not.toThrow();
  });
});
