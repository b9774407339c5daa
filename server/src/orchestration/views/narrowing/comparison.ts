/** A comparison with a number, as people type it: `3`, `>=3`, `<60`. */
import { sql } from 'kysely';
import type { Condition, Expression } from '../../../database/dialect/dialect.ts';

const COMPARISON = /^(>=|<=|>|<|=)?(\d{1,12}(?:\.\d{1,6})?)$/;

export function comparisonProblem(value: string): string | undefined {
  return COMPARISON.test(value) ? undefined : 'a number, or a comparison such as `>=3` or `<60`';
}

/** The value has passed `comparisonProblem`. */
export function compare(number: Expression, value: string): Condition {
  const [, operator = '=', bound] = COMPARISON.exec(value) ?? [];
  return sql<boolean>`${number} ${sql.raw(operator)} ${Number(bound)}`;
}
