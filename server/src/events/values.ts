/** Suggested values of a field of events, with the number of events that have them. */
import { sql } from 'kysely';
import type { Expression } from '../database/dialect/dialect.ts';
import { countedValues } from '../database/lists/where.ts';
import type { FieldValues } from '../database/lists/where-schema.ts';
import type { Db } from '../database/store.ts';
import type { EventCriteria } from './criteria.ts';
import { type EventField, isOfTaskRun } from './fields.ts';
import { selectEvents } from './filter-condition.ts';
import { newestEvents } from './window.ts';

interface Asked {
  readonly field: EventField;
  readonly text: string;
  readonly limit: number;
}

/** Counts the newest events. */
export async function readEventValues(db: Db, criteria: EventCriteria, asked: Asked): Promise<FieldValues> {
  const { criteria: newest, end } = await newestEvents(db, criteria);
  const { value, label = value, elements } = valuesOf(asked.field, db);
  const { rows } = selectEvents(newest, db);
  const source = sql`from (select event.event, event.resource_id, event.resource, event.related ${rows}) event
    ${elements ? sql`cross join ${elements} element` : sql``} where 1 = 1`;
  const values = await db.query(countedValues({ value, label, source, ...asked }, db.dialect));
  return { values, counted_since: end ?? null };
}

interface Values {
  readonly value: Expression;
  readonly label?: Expression;
  /** The parts of an event, if each has a value. */
  readonly elements?: Expression;
}

function valuesOf(field: EventField, { dialect }: Db): Values {
  const name = (resource: Expression, id: Expression) =>
    sql`coalesce(${dialect.labelOf(resource, 'prefect.resource.name')}, ${id})`;
  switch (field) {
    case 'event':
      return { value: sql`event.event` };
    case 'resource':
      return { value: sql`event.resource_id`, label: name(sql`event.resource`, sql`event.resource_id`) };
    case 'related': {
      const value = dialect.labelOf(sql`element.value`, 'prefect.resource.id');
      return { value, label: name(sql`element.value`, value), elements: dialect.elementsOf(sql`event.related`) };
    }
    case 'task_runs':
      return { value: sql`case when ${isOfTaskRun(dialect)} then 'yes' else 'no' end` };
  }
}
