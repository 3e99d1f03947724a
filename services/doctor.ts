import { access, constants, stat } from 'node:fs/promises';
import type { Check } from './check.js';
import { modelChecks } from './model-checks.js';
import { embeddedPorts } from './ports/port-settings.js';
import { serverChecks } from './server-checks.js';
import { portSettings, readConfiguration, type ServeOptions } from './settings.js';

/** What can be told about this installation while Sluice does not run: its settings, folder, servers and models. Throws configuration-invalid. */
export async function doctor(options: ServeOptions): Promise<readonly Check[]> {
  const configuration = readConfiguration(options);
  const settings = portSettings(configuration);
  const set = configuration.fields().filter(({ source }) => source !== 'default');
  return [
    {
      name: 'configuration',
      state: 'ok',
      detail: set.length === 0 ? 'all settings are defaults' : `set: ${set.map(({ variable }) => variable).join(', ')}`,
    },
    ...(embeddedPorts(settings.adapters).length === 0 ? [] : [await folderCheck(settings.storage.folder)]),
    ...(await serverChecks(settings, configuration.section('bus'))),
    ...(await modelChecks(settings)),
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
