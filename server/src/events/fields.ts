/** The fields by which the dashboard narrows events. A value that ends with `*` is the beginning of values. */
import { sql } from 'kysely';
import { type Condition, type Expression, not, or, type SqlDialect } from '../database/dialect/dialect.ts';
import { type WhereField, wordField } from '../database/lists/where.ts';

const TASK_RUNS = 'prefect.task-run.';
export const isOfTaskRun = (dialect: SqlDialect) => dialect.startsWithLiterally(sql`event.event`, TASK_RUNS);

export const eventFieldNames = ['event', 'resource', 'related', 'task_runs'] as const;
export type EventField = (typeof eventFieldNames)[number];

export const eventFields: Readonly<Record<EventField, WhereField>> = {
  event: idField(sql`event.event`),
  resource: idField(sql`event.resource_id`),
  related: {
    hasOneOf: (values, dialect) => {
      const id = dialect.labelOf(sql`element.value`, 'prefect.resource.id');
      return sql`exists (select 1 from ${dialect.elementsOf(sql`event.related`)} element where ${isOneOfIds(id, values, dialect)})`;
    },
  },
  task_runs: {
    ...wordField(sql`''`, ['yes', 'no']),
    hasOneOf: (values, dialect) =>
      or(values.map((value) => (value.toLowerCase() === 'yes' ? isOfTaskRun(dialect) : not(isOfTaskRun(dialect))))),
  },
};

function idField(column: Expression): WhereField {
  return { hasOneOf: (values, dialect) => isOneOfIds(column, values, dialect) };
}

/** Case matters, so that an index finds them. */
function isOneOfIds(column: Expression, values: readonly string[], dialect: SqlDialect): Condition {
  const whole = values.filter((value) => !value.endsWith('*'));
  return or([
    ...(whole.length > 0 ? [dialect.oneOf(column, whole, 'text')] : []),
    ...values
      .filter((value) => value.endsWith('*'))
      .map((value) => dialect.startsWithLiterally(column, value.slice(0, -1))),
  ]);
}
