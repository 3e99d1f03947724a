import { Command } from 'commander';
import { wholeNumber } from '../arguments.js';
import { outputOf, withJson, type Cli, type JsonOptions } from '../cli.js';
import { count } from '../output/numbers.js';
import { table } from '../output/table.js';
import { serverModule } from '../server-module.js';
import { homeOf, withHome, type HomeOptions } from './serve.js';

type Options = HomeOptions & JsonOptions;

export const topicsCommand = (cli: Cli): Command =>
  new Command('topics')
    .description('Look after the topics on Kafka.')
    .addCommand(listCommand(cli))
    .addCommand(resizeCommand(cli));

const listCommand = (cli: Cli): Command =>
  withHome(withJson(new Command('list').description('List the topics, and what is unread by whom.'))).action(
    async (options: Options) => {
      const output = outputOf(cli, options);
      const { listTopics } = await serverModule();
      const topics = await listTopics(homeOf(cli, options));
      output.result({ topics });
      const unreadOf = (unread: Readonly<Record<string, number>>): string =>
        Object.entries(unread)
          .map(([group, messages]) => `${group} ${count(messages)}`)
          .join(', ');
      output.line(
        table(
          ['topic', 'partitions', 'unread'],
          topics.map(({ name, partitions, unread }) => [name, String(partitions), unreadOf(unread)]),
        ),
      );
    },
  );

const resizeCommand = (cli: Cli): Command =>
  withHome(
    withJson(
      new Command('resize').description(
        'Give a topic more partitions. Waits until all of it has been read; nothing may publish to it meanwhile, so stop the gateways first.',
      ),
    ),
  )
    .argument('<topic>', 'its name')
    .argument('<partitions>', 'how many it is to have', wholeNumber(1, 10_000))
    .action(async (topic: string, partitions: number, options: Options) => {
      const output = outputOf(cli, options);
      const { resizeTopic } = await serverModule();
      await resizeTopic(homeOf(cli, options), {
        ...{ topic, partitions, signal: cli.signal },
        waiting: (unread) => {
          output.note(`${count(unread)} messages of ${topic} are unread; waiting for its readers`);
        },
      });
      output.result({ topic, partitions });
      output.line(`${topic} has ${partitions} partitions. Set bus.partitions to that number before the next start.`);
    });
