import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { beforeAll, describe, expect, it } from 'vitest';

const roots = ['schema', 'services', 'gateway', 'cli'];
const processors = 'services/(librarian|decoder|chunker|embedder|vector-writer|query|document-rag)/';
const adapters = 'services/ports/[^/]+/[^/]+/';
const wiring = 'services/(pipeline|main|sections)\\.ts|services/ports/wire(-models)?\\.ts';
/** `module` loads a pure package when it is first needed. */
const pureModules = '(node:)?(crypto|buffer|string_decoder|module)';
const purePackages = 'node_modules/(snowball-stemmers|gpt-tokenizer|picomatch|parse5|@sinclair/typebox)/';

/** Packages that reach out of the process, and the only place that may know each. */
const homes: Record<string, string> = {
  lmdb: 'services/ports/bus/embedded/',
  kafkajs: 'services/ports/bus/kafka/',
  '@electric-sql/pglite': 'services/ports/catalog/pglite/',
  '@lancedb/lancedb': 'services/ports/vector-store/lancedb/',
  'apache-arrow': 'services/ports/vector-store/lancedb/',
  '@qdrant/js-client-rest': 'services/ports/vector-store/qdrant/',
  undici: 'services/ports/vector-store/qdrant/',
  '@huggingface/transformers': 'services/ports/embedding-model/onnx/',
  openai: 'services/ports/openai/',
  avsc: 'schema/',
  '@kafkajs/confluent-schema-registry': 'schema/registry/',
  '@aws-sdk/client-s3': 'services/ports/blob-store/s3/',
  fastify: 'gateway/',
  commander: 'cli/',
  piscina: '(services/runtime/workers|services/ports/embedding-model/onnx)/',
  'pino-pretty': 'services/runtime/log\\.ts',
  yaml: '(services/runtime/configuration|services/decoder|cli)/',
};

const forbid = (name: string, from: string, to: string, except = '^$'): IForbiddenRuleType => ({
  name,
  severity: 'error',
  from: { path: `^(${from})` },
  to: { path: `^(${to})`, pathNot: `^(${except})` },
});

const rules: IForbiddenRuleType[] = [
  { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
  {
    name: 'nothing unresolved',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true, pathNot: '^@huggingface/transformers$' }, // it is optional
  },
  {
    name: 'only declared runtime dependencies',
    severity: 'error',
    from: { pathNot: '\\.mjs$' },
    to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
  },
  forbid('the domain is pure', 'services/domain/', '.', `services/domain/|${purePackages}|${pureModules}$`),
  forbid('the schema knows the domain only', 'schema/', 'services/|gateway/|cli/', 'services/domain/'),
  forbid(
    'the runtime knows ports, not adapters',
    'services/runtime/',
    `${adapters}|${processors}|${wiring}|gateway/|cli/`,
  ),
  forbid(
    'ports know domain, schema and ports',
    'services/ports/[^/]+/[^/]+\\.ts',
    `${adapters}|${processors}|${wiring}|gateway/|cli/`,
  ),
  forbid('adapters know no processor', adapters, `${processors}|${wiring}|gateway/|cli/`),
  {
    name: 'adapters know no other adapter',
    severity: 'error',
    from: { path: '^services/ports/([^/]+)/([^/]+)/' },
    to: { path: `^${adapters}`, pathNot: '^services/ports/$1/($2|sql|migrations)/' },
  },
  {
    name: 'the wiring alone knows adapters',
    severity: 'error',
    from: {
      pathNot: `^(services/ports/(wire(-models)?|port-settings)\\.ts|services/sections\\.ts|services/ports/[^/]+/[^/]+/)`,
    },
    to: { path: `^${adapters}` },
  },
  {
    name: 'processors know no other processor, adapter or wiring',
    severity: 'error',
    from: { path: `^${processors}` },
    to: { path: `^(${processors}|${adapters}|${wiring}|gateway/|cli/)`, pathNot: '^services/$1/' },
  },
  forbid(
    'the gateway knows no processor, adapter or command line',
    'gateway/',
    `${processors}|${adapters}|${wiring}|cli/`,
  ),
  forbid(
    'the client is light',
    'gateway/client/',
    'services/|schema/|gateway/',
    'gateway/(client|api)/|services/domain/',
  ),
  forbid(
    'the command line talks to the client',
    'cli/',
    'services/|schema/|gateway/',
    'gateway/client/|services/domain/|services/[a-z-]+\\.ts$',
  ),
  {
    name: 'the command line loads the server only when it is asked to',
    severity: 'error',
    from: { path: '^cli/' },
    to: { path: '^services/[a-z-]+\\.ts$', dependencyTypesNot: ['dynamic-import', 'type-only'] },
  },
  forbid('services know no face', 'services/', 'gateway/|cli/', 'gateway/(gateway|config|system-server)\\.ts$'),
  ...Object.entries(homes).map(([name, home]): IForbiddenRuleType => ({
    name: `${name} is known to ${home} alone`,
    severity: 'error',
    from: { pathNot: `^${home}` },
    to: { path: `^(node_modules/)?${name}(/|$)` },
  })),
];

let result: ICruiseResult;
beforeAll(async () => {
  const { output } = await cruise(
    roots,
    {
      ruleSet: { forbidden: rules },
      validate: true,
      tsPreCompilationDeps: true,
      doNotFollow: { path: 'node_modules' },
      enhancedResolveOptions: {
        exportsFields: ['exports'],
        conditionNames: ['import', 'node', 'default', 'types'],
        mainFields: ['module', 'main', 'types'],
      },
    },
    undefined,
    { tsConfig: extractTSConfig('tsconfig.json') },
  );
  if (typeof output === 'string') throw new Error('dependency-cruiser reported text');
  result = output;
});

describe('architecture', () => {
  it('saw the code', () => {
    expect(result.summary.totalCruised).toBeGreaterThan(100);
  });

  it.each(Object.entries(homes))('%s is in use in its home', (name, home) => {
    const users = result.modules.filter(({ dependencies }) =>
      dependencies.some(({ resolved }) => resolved === name || resolved.startsWith(`node_modules/${name}/`)),
    );
    expect(users.some(({ source }) => new RegExp(`^${home}`).test(source))).toBe(true);
  });

  it.each(rules.map(({ name }) => name))('%s', (name) => {
    const found = result.summary.violations.filter((violation) => violation.rule.name === name);
    expect(found.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });
});

describe('files', () => {
  let files: { name: string; lines: number }[];
  beforeAll(async () => {
    const listed = await Promise.all(
      roots.map(async (root) => (await readdir(root, { recursive: true })).map((name) => path.join(root, name))),
    );
    const names = listed.flat().filter((name) => name.endsWith('.ts') && name !== path.join('schema', 'generated.ts'));
    files = await Promise.all(
      names.map(async (name) => ({ name, lines: (await readFile(name, 'utf8')).split('\n').length - 1 })),
    );
  });

  it('are named for what they hold', () => {
    const vague = /(^|[/-])(utils?|helpers?|common|managers?|misc)([/.-]|$)/;
    expect(files.map(({ name }) => name).filter((name) => vague.test(name) || /[A-Z]/.test(name))).toEqual([]);
  });

  it('hold one idea: half of them under 80 lines, 95 % under 250', () => {
    const longest = files.toSorted((a, b) => b.lines - a.lines);
    expect(longest[Math.floor(files.length / 2)]?.lines).toBeLessThan(80);
    expect(longest.slice(Math.floor(files.length / 20)).filter(({ lines }) => lines >= 250)).toEqual([]);
  });
});
