import { SluiceError } from '../errors.js';
import type { Filter, Operator } from './filter.js';

/** Longer ones first, so that `<=` is not taken for `<`. */
const operators = ['!=', '<=', '>=', '=', '<', '>', '~'] as const satisfies readonly Operator[];

/**
 * A clause such as `year>=2020`: the leftmost, longest operator divides it into key and value, both trimmed. Throws
 * invalid-argument, naming the clause.
 */
export function parseClause(clause: string): Filter {
  for (let index = 0; index < clause.length; index++) {
    const operator = operators.find((candidate) => clause.startsWith(candidate, index));
    if (operator === undefined) continue;
    const key = clause.slice(0, index).trim();
    const operand = clause.slice(index + operator.length).trim();
    if (key === '') refuse(clause, `has no key before ${operator}`);
    if (operand === '') refuse(clause, `has no value after ${operator}`);
    return { kind: 'compare', key, operator, operand };
  }
  return refuse(clause, `has no operator; use one of ${operators.join(' ')}`);
}

function refuse(clause: string, problem: string): never {
  throw new SluiceError('invalid-argument', `filter clause ${JSON.stringify(clause.trim())} ${problem}`);
}
