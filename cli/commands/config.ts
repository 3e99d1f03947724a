import { Command } from 'commander';
import { outputOf, withJson, type Cli, type JsonOptions } from '../cli.js';
import { safeText } from '../output/safe-text.js';
import { wrap } from '../output/wrap.js';
import { serverModule } from '../server-module.js';
import { homeOf, withHome, type HomeOptions } from './serve.js';

export const configCommand = (cli: Cli): Command =>
  withHome(
    withJson(new Command('config').description('Print every setting with its value and where that comes from.')),
  ).action(async (options: HomeOptions & JsonOptions) => {
    const output = outputOf(cli, options);
    const { describeConfiguration } = await serverModule();
    const settings = describeConfiguration(homeOf(cli, options));
    output.result({ settings });
    const style = output.out;
    let section = '';
    for (const setting of settings) {
      if (setting.section !== section) {
        output.line(`${section === '' ? '' : '\n'}${style.bold(setting.section)}`);
        section = setting.section;
      }
      const value = setting.value === undefined ? 'not set' : safeText(inWords(setting.value));
      output.line(`  ${style.cyan(setting.name)} = ${value}`);
      output.line(style.dim(wrap(setting.description, style.width, '    ')));
      const origin =
        setting.source === 'default' ? 'the default' : `from ${setting.source}; default ${inWords(setting.default)}`;
      output.line(style.dim(`    ${setting.variable}: ${safeText(origin)}`));
    }
  });

const inWords = (value: unknown): string =>
  value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
