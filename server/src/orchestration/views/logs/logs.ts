/** Pages of log lines over all runs, newest first, and the values by which they can be narrowed. */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import type { Expression } from '../../../database/dialect/dialect.ts';
import { checkValues, countedValues } from '../../../database/lists/where.ts';
import type { FieldValues } from '../../../database/lists/where-schema.ts';
import type { Db } from '../../../database/store.ts';
import { keepsWords } from '../../logs/search/blocks.ts';
import { type LogField, logFields, logLevels } from '../../logs/search/fields.ts';
import { type LogSearch, newestLines } from '../../logs/search/lines.ts';
import { indexedSince } from '../../logs/search/older-lines.ts';
import { searchLogs } from '../../logs/search/search.ts';
import { logText } from '../../logs/search/text.ts';
import { shortName } from '../runs/run-row.ts';
import type { LogsViewBody, LogsViewFilter, LogValuesBody } from './logs-schema.ts';

export async function readLogsView({ db, now, server }: Context, body: LogsViewBody) {
  const search = searchOf(body);
  const isIndexed = keepsWords(server);
  const { limit, after } = body;
  const [{ lines, next }, since] = await Promise.all([
    searchLogs(db, search, { now, isIndexed, limit, after }),
    isIndexed ? indexedSince(db) : null,
  ]);
  const names = await namesOf(db, lines);
  return {
    as_of: now,
    lines: lines.map((line) => ({ ...line, ...names.ofRun(line.flow_run_id), ...names.ofTask(line.task_run_id) })),
    next,
    is_indexed: isIndexed,
    indexed_since: since,
  };
}

function searchOf({ where, q, match, since, until }: LogsViewFilter): LogSearch {
  checkValues(where, logFields, 'body');
  return { where, text: logText(q, match === 'parts'), since: since ?? undefined, until: until ?? undefined };
}

interface RunName {
  readonly id: string;
  readonly flow_run_name: string;
  readonly flow_id: string;
  readonly flow_name: string;
}

interface TaskName {
  readonly id: string;
  readonly task_run_name: string;
}

const noRun = { flow_run_name: null, flow_id: null, flow_name: null };

async function namesOf(
  db: Db,
  lines: readonly { readonly flow_run_id: string | null; readonly task_run_id: string | null }[],
) {
  const { dialect } = db;
  const runIds = lines.flatMap(({ flow_run_id }) => flow_run_id ?? []);
  const taskIds = lines.flatMap(({ task_run_id }) => task_run_id ?? []);
  const [runs, tasks] = await Promise.all([
    db.query(
      sql<RunName>`select flow_run.id, ${shortName('flow_run.name')} as flow_run_name, flow_run.flow_id,
          ${shortName('flow.name')} as flow_name
        from flow_run join flow on flow.workspace = flow_run.workspace and flow.id = flow_run.flow_id
        where flow_run."workspace" = ${db.workspace} and ${dialect.oneOf(sql`flow_run.id`, runIds, 'uuid')}`,
    ),
    db.query(
      sql<TaskName>`select id, ${shortName('name')} as task_run_name from task_run
        where "workspace" = ${db.workspace} and ${dialect.oneOf(sql`id`, taskIds, 'uuid')}`,
    ),
  ]);
  const byRun = new Map(runs.map(({ id, ...names }) => [id, names]));
  const byTask = new Map(tasks.map(({ id, ...names }) => [id, names]));
  return {
    ofRun: (id: string | null) => byRun.get(id ?? '') ?? noRun,
    ofTask: (id: string | null) => byTask.get(id ?? '') ?? { task_run_name: null },
  };
}

/** The values of a field in the newest lines, counted under the conditions on the other fields. */
export async function readLogValues({ db }: Context, body: LogValuesBody): Promise<FieldValues> {
  const { field, text, limit, where } = body;
  checkValues(where, logFields, 'body');
  const others = where.filter((condition) => condition.field !== field);
  const { rows, end } = await newestLines(db, searchOf({ ...body, where: others }));
  const { value, label = value, joined = sql`` } = valuesOf(field);
  const source = sql`from (select log.workspace, log.id, log.level, log.name, log.flow_run_id, log.task_run_id from ${rows}) log ${joined} where 1 = 1`;
  const values = await db.query(countedValues({ value, label, source, text, limit }, db.dialect));
  return { values, counted_since: end?.timestamp ?? null };
}

interface Values {
  readonly value: Expression;
  readonly label?: Expression;
  readonly joined?: Expression;
}

const run = sql`join flow_run on flow_run.workspace = log.workspace and flow_run.id = log.flow_run_id`;
const ofFlow = sql`${run} join flow on flow.workspace = flow_run.workspace and flow.id = flow_run.flow_id`;

function valuesOf(field: LogField): Values {
  switch (field) {
    case 'level': {
      const names = Object.entries(logLevels).toReversed();
      const cases = names.map(([name, least]) => sql`when log.level >= ${sql.lit(least)} then ${sql.lit(name)}`);
      return { value: sql`case ${sql.join(cases, sql` `)} end` };
    }
    case 'flow':
      return { value: sql`flow.name`, joined: ofFlow };
    case 'deployment':
      return {
        value: sql`flow.name || '/' || deployment.name`,
        joined: sql`${ofFlow} join deployment on deployment.workspace = flow_run.workspace
          and deployment.id = flow_run.deployment_id`,
      };
    case 'run':
      return { value: sql`flow_run.name`, joined: run };
    case 'task':
      return {
        value: sql`task_run.name`,
        joined: sql`join task_run on task_run.workspace = log.workspace and task_run.id = log.task_run_id`,
      };
    case 'logger':
      return { value: sql`log.name` };
  }
}
