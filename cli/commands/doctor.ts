import { Command } from 'commander';
import { clientOf, outputOf, withServer, type Cli, type ServerOptions } from '../cli.js';
import { localChecks } from '../doctor/local-checks.js';
import { serverChecks } from '../doctor/server-checks.js';
import { describeError, exitCodes } from '../exit-codes.js';
import { safeLine } from '../output/safe-text.js';
import { wrap } from '../output/wrap.js';
import { serverModule, type Check } from '../server-module.js';
import { homeOf, withHome, type HomeOptions } from './serve.js';

interface Options extends ServerOptions, HomeOptions {}

export const doctorCommand = (cli: Cli): Command =>
  withHome(
    withServer(new Command('doctor').description('Say what runs, what is wrong, and what to do about it.')),
  ).action(async (options: Options) => {
    const output = outputOf(cli, options);
    const client = clientOf(options);
    let checks: Check[];
    let unreachable: boolean;
    try {
      const remote = await serverChecks(client, options.url, cli.signal);
      unreachable = remote.some((check) => check.name === 'server' && check.state === 'failed');
      checks = [...(await ownChecks(cli, options)), ...remote];
    } finally {
      await client.close();
    }
    output.result({ checks });
    const style = output.out;
    const mark = { ok: style.green('ok     '), warning: style.yellow('warning'), failed: style.red('failed ') };
    for (const check of checks) {
      output.line(`${mark[check.state]}  ${style.bold(safeLine(check.name))}: ${safeLine(check.detail)}`);
      if (check.advice !== undefined) output.line(wrap(`→ ${safeLine(check.advice)}`, style.width, '         '));
    }
    if (unreachable) cli.exitCode = exitCodes.unreachable;
    else if (checks.some((check) => check.state === 'failed')) cli.exitCode = exitCodes.failed;
  });

/** What can be told without a server: this machine, the settings, the data folder. */
async function ownChecks(cli: Cli, options: Options): Promise<readonly Check[]> {
  const home = homeOf(cli, options);
  const { doctor, describeConfiguration } = await serverModule();
  try {
    const folder = describeConfiguration(home).find(({ section, name }) => section === 'storage' && name === 'folder');
    return [...(await localChecks(typeof folder?.value === 'string' ? folder.value : '.')), ...(await doctor(home))];
  } catch (error) {
    return [
      ...(await localChecks('.')),
      { name: 'configuration', state: 'failed', detail: describeError(error).message, advice: 'see sluice config' },
    ];
  }
}
