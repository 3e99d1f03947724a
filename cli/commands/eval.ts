import { Command, Option } from 'commander';
import { numberWithin, repeated } from '../arguments.js';
import { outputOf, withJson, type Cli, type JsonOptions } from '../cli.js';
import type { EvalOptions } from '../eval/run-eval.js';
import { withPins } from '../pins.js';

export const evalCommand = (cli: Cli): Command =>
  withPins(
    withJson(
      new Command('eval').description('Measure retrieval on questions with known answers, on a temporary server.'),
    ),
  )
    .option('--corpus <file>', 'a text; repeat it with its questions for each', repeated)
    .option('--questions <file>', 'its questions: one JSON object a line', repeated)
    .addOption(
      new Option('--fusion <method>', 'how hybrid joins its lists; default: the model’s').choices(['rrf', 'relative']),
    )
    .option('--dense-weight <share>', 'the vector list’s share in the fusion', numberWithin(0, 1))
    .action(async (options: EvalOptions & JsonOptions) => {
      // What it needs to read questions is slow to load, and nothing else needs it.
      const { runEval } = await import('../eval/run-eval.js');
      await runEval(cli, outputOf(cli, options), options);
    });
