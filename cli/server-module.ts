/** What `services/main.ts` offers the command line. It is imported only when a command needs it: it loads engines. */
export interface ServerModule {
  /** Starts the embedded server in this process; resolves once it listens. */
  serve(options: ServeOptions): Promise<RunningServer>;
  /** Every setting with where its value comes from; secrets are dots. Throws what is wrong with them. */
  describeConfiguration(options: ServeOptions): readonly ConfiguredSetting[];
  /** What can be told about this installation without a running server. */
  doctor(options: ServeOptions): Promise<readonly Check[]>;
}

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

export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface ConfiguredSetting {
  readonly section: string;
  readonly name: string;
  readonly variable: string;
  readonly description: string;
  readonly default: unknown;
  readonly value: unknown;
  readonly source: string;
}

export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed';
  /** What was found. */
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}

export async function serverModule(): Promise<ServerModule> {
  const path = '../services/main.js';
  return (await import(path)) as ServerModule;
}
