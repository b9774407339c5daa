import { sql } from 'kysely';
import type { FilterFields } from '../../database/lists/filters.ts';
import { compileTextQuery, isEmptyTextQuery, parseTextQuery } from '../../database/lists/text-search.ts';

/** Filterable fields of a log. A new field is added here and to `LogFilter`. */
export const logFields: FilterFields = {
  level: { kind: 'number', column: sql`log.level` },
  timestamp: { kind: 'time', column: sql`log.timestamp` },
  flow_run_id: { kind: 'id', column: sql`log.flow_run_id` },
  task_run_id: { kind: 'id', column: sql`log.task_run_id` },
  /** Words of the message and of the logger's name. A query without words has no effect. */
  text: ({ query }, dialect) => {
    const terms = parseTextQuery(query as string);
    if (isEmptyTextQuery(terms)) return undefined;
    return compileTextQuery(terms, sql`(log.message || ' ' || log.name)`, dialect);
  },
};
