/** Filter fields that flow runs and task runs share. */
import { sql } from 'kysely';
import { always, type Condition, type SqlDialect } from '../../database/dialect/dialect.ts';
import { combine, compileField, type FieldCompiler } from '../../database/lists/filters.ts';

type RunTable = 'flow_run' | 'task_run';

/** `state` with its `type` and `name`, which combine by the operator of `state`. */
export function stateField(table: RunTable): FieldCompiler {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return (criteria, dialect) => {
    const parts = (['type', 'name'] as const).flatMap((part) => {
      const given = criteria[part];
      if (given === null || given === undefined) return [];
      return [
        compileField(given as Record<string, unknown>, { kind: 'text', column: column(`state_${part}`) }, dialect),
      ];
    });
    return combine(parts, criteria['operator']);
  };
}

/** Tags of runs are rows of a separate table, so that an index finds a tag without reading every run. */
export function runTagsField(table: RunTable): FieldCompiler {
  const tags = sql.table(`${table}_tag`);
  const runId = sql.ref(`${table}_tag.${table}_id`);
  const id = sql.ref(`${table}.id`);
  const tag = sql.ref(`${table}_tag.tag`);
  const ofRun = sql`from ${tags} where ${tags}.workspace = ${sql.table(table)}.workspace and ${runId} = ${id}`;
  const holds = (asked: Condition): Condition => sql`exists (select 1 ${ofRun} and ${asked})`;
  const holdsEachOf = (wanted: readonly string[], dialect: SqlDialect): Condition =>
    wanted.length === 1
      ? always
      : sql`(select count(*) ${ofRun} and ${dialect.oneOf(dialect.unindexed(tag), wanted, 'text')}) = ${wanted.length}`;
  return (criteria, dialect) => {
    const { all_, any_, is_null_, operator } = criteria as {
      all_?: string[] | null;
      any_?: string[] | null;
      is_null_?: boolean | null;
      operator?: string;
    };
    const conditions: Condition[] = [];
    if (all_ && all_.length > 0) {
      const wanted = [...new Set(all_)];
      // Only the first tag uses the index. With a condition for each tag, planning time would grow quadratically.
      conditions.push(combine([holds(sql`${tag} = ${wanted[0]}`), holdsEachOf(wanted, dialect)], 'and_'));
    }
    if (any_) conditions.push(holds(dialect.oneOf(any_.length > 1 ? dialect.unindexed(tag) : tag, any_, 'text')));
    if (is_null_ !== null && is_null_ !== undefined) {
      const column = sql.ref(`${table}.tags`);
      conditions.push(is_null_ ? sql`${column} = '[]'` : sql`${column} <> '[]'`);
    }
    return combine(conditions, operator);
  };
}
