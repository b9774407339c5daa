/** The values by which a list of flow runs can be narrowed. */
import { sql } from 'kysely';
import { always } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';
import { type JsonText, parseObject } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import { flowRunsByStart } from '../../runs/history/start-order.ts';
import { causeOf } from '../../why/failure-cause.ts';
import { hasFailedAtTop } from '../../why/failures.ts';
import {
  byDuration,
  byFact,
  byName,
  byState,
  byTag,
  byText,
  byTries,
  type CountValues,
  latestRows,
  type ValuesFound,
} from './counted-values.ts';
import { type flowRunFieldNames, flowRunNarrowing } from './flow-run-fields.ts';

/** Runs whose parameters, or whose messages, are read to count them. */
const MOST_READ = 1000;
/** Larger parameters are data rather than values that people look for. */
const MOST_PARAMETER_BYTES = 16 * 1024;
const LONGEST_VALUE = 100;
const MESSAGE_LENGTH = 2000;

export const flowNames = (db: Db) => ({
  names: sql`select flow.id, substr(flow.name, 1, 300) as value from flow
    where flow."workspace" = ${db.workspace} and flow.removed is null`,
});

/** A deployment's name may occur below several flows. */
export const deploymentNames = (db: Db) => ({
  names: sql`select deployment.id, flow.name || '/' || deployment.name as value from deployment
    join flow on flow.workspace = deployment.workspace and flow.id = deployment.flow_id
    where deployment."workspace" = ${db.workspace}`,
});

const poolNames = (db: Db) => ({
  names: sql`select work_queue.id, work_pool.name as value from work_pool
    join work_queue on work_queue.workspace = work_pool.workspace and work_queue.work_pool_id = work_pool.id
    where work_pool."workspace" = ${db.workspace}`,
});

const queueNames = (db: Db) => ({
  names: sql`select work_queue.id, work_pool.name || '/' || work_queue.name as value from work_pool
    join work_queue on work_queue.workspace = work_pool.workspace and work_queue.work_pool_id = work_pool.id
    where work_pool."workspace" = ${db.workspace}`,
});

interface Read {
  readonly start: Timestamp | null;
  readonly text: string | null;
}

const byParameter: CountValues = async (counted) => {
  const { parameters } = { parameters: sql.ref('flow_run.parameters') };
  const read = await latestRows<Read>(
    counted,
    sql`${counted.runs.start} as start,
      case when octet_length(${parameters}) <= ${MOST_PARAMETER_BYTES} then ${parameters} end as text`,
    always,
    MOST_READ,
  );
  return countedIn(read, ({ text }) => (text === null ? [] : scalarsOf(text as JsonText)));
};

function scalarsOf(parameters: JsonText): string[] {
  return Object.entries(parseObject(parameters)).flatMap(([name, value]) => {
    const text = `${name}=${String(value)}`;
    return (typeof value === 'object' && value !== null) || text.length > LONGEST_VALUE ? [] : [text];
  });
}

const byCause: CountValues = async (counted) => {
  const message = sql`(select substr(failure.message, 1, ${sql.lit(MESSAGE_LENGTH)}) from flow_run_state failure
    where failure.workspace = flow_run.workspace and failure.id = flow_run.state_id)`;
  const read = await latestRows<Read>(
    counted,
    sql`${counted.runs.start} as start, ${message} as text`,
    sql`flow_run.state_type in ('FAILED', 'CRASHED')`,
    MOST_READ,
  );
  return countedIn(read, ({ text }) => [causeOf(text)].filter((cause) => cause !== ''));
};

function countedIn(read: readonly Read[], valuesOf: (row: Read) => readonly string[]): ValuesFound {
  const counts = new Map<string, number>();
  for (const value of read.flatMap(valuesOf)) counts.set(value, (counts.get(value) ?? 0) + 1);
  const values = [...counts].map(([value, count]) => ({ value, label: value, count }));
  return read.length < MOST_READ ? { values } : { values, since: read.at(-1)?.start ?? null };
}

const counts: Readonly<Record<(typeof flowRunFieldNames)[number], CountValues>> = {
  flow: byName(sql`flow_run.flow_id`, flowNames),
  deployment: byName(sql`flow_run.deployment_id`, deploymentNames),
  work_pool: byName(sql`flow_run.work_queue_id`, poolNames),
  work_queue: byName(sql`flow_run.work_queue_id`, queueNames),
  tag: byTag,
  state: byState,
  tries: byTries,
  duration: byDuration,
  parameter: byParameter,
  cause: byCause,
  failed: byFact(hasFailedAtTop, { yes: 'failed', no: 'never failed' }),
  name: byText(sql`flow_run.name`),
  subflow: byFact(sql`flow_run.parent_task_run_id is not null`, { yes: 'subflows', no: 'no subflows' }),
};

export const countedFlowRuns = { runs: flowRunsByStart, fields: flowRunNarrowing, counts };
