import type { PortSettings } from './ports/port-settings.js';
import { loadConfiguration } from './runtime/configuration/configuration.js';
import { allSections, clientVariables } from './sections.js';

/** Where settings come from: the environment, a file, and what was given on the command line. */
export interface ServeOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Folder that holds everything that the server keeps. */
  readonly data?: string;
  readonly host?: string;
  /** 0: a free one. */
  readonly port?: number;
  /** A YAML file of settings. */
  readonly config?: string;
}

/** All settings. Throws configuration-invalid naming every problem. */
export const readConfiguration = ({ env, data, host, port, config }: ServeOptions) =>
  loadConfiguration(allSections(), {
    env,
    file: config,
    otherVariables: clientVariables,
    overrides: {
      storage: { ...(data === undefined ? {} : { folder: data }) },
      gateway: { ...(host === undefined ? {} : { host }), ...(port === undefined ? {} : { port }) },
    },
  });

/** The sections that choose and set up adapters. */
export const portSettings = ({ section }: Pick<ReturnType<typeof readConfiguration>, 'section'>): PortSettings => ({
  adapters: section('adapters'),
  storage: section('storage'),
  kafka: section('kafka'),
  registry: section('registry'),
  postgres: section('postgres'),
  s3: section('s3'),
  qdrant: section('qdrant'),
  embedding: section('embedding'),
  onnx: section('onnx'),
  language: section('language'),
  extractive: section('extractive'),
});
