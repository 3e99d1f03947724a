import type { Output } from '../output/output.js';

/** What to type after the quickstart: commands that work as they stand. */
export function printNextSteps(output: Output): void {
  const style = output.out;
  const command = (text: string): void => output.line(`    ${style.cyan(text)}`);
  output.line(`\n${style.bold('What to type next')}`);
  output.line('\n  Your own folder: start a server in one terminal, and in another');
  command('npx sluice serve');
  command('npx sluice load ./docs');
  command('npx sluice ask "what do my documents say about …?"');
  output.line(
    '\n  Another embedding model: a collection keeps the one it was made with, so choose it, then load into a new one',
  );
  command('npx sluice config');
  command('npx sluice load ./docs --collection better');
  output.line('\n  Whether all is well, and what to do if not');
  command('npx sluice doctor');
}
