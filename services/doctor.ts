import { access, constants, stat } from 'node:fs/promises';
import { modelChecks } from './model-checks.js';
import { readConfiguration, type ServeOptions } from './settings.js';

export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed';
  /** What was found. */
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** What can be told about this installation without a running server. Throws configuration-invalid. */
export async function doctor(options: ServeOptions): Promise<readonly Check[]> {
  const configuration = readConfiguration(options);
  const set = configuration.fields().filter(({ source }) => source !== 'default');
  return [
    {
      name: 'configuration',
      state: 'ok',
      detail: set.length === 0 ? 'all settings are defaults' : `set: ${set.map(({ variable }) => variable).join(', ')}`,
    },
    await folderCheck(configuration.section('storage').folder),
    ...(await modelChecks({
      embedding: configuration.section('embedding'),
      onnx: configuration.section('onnx'),
      language: configuration.section('language'),
      extractive: configuration.section('extractive'),
    })),
  ];
}

async function folderCheck(folder: string): Promise<Check> {
  const name = 'data folder';
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) return { name, state: 'ok', detail: `${folder} will be made at the first start` };
  try {
    await access(folder, constants.R_OK | constants.W_OK);
    return { name, state: 'ok', detail: `${folder} can be read and written` };
  } catch {
    const advice = 'give the user that runs Sluice the right to write there, or choose another folder with --data';
    return { name, state: 'failed', detail: `${folder} cannot be written`, advice };
  }
}
