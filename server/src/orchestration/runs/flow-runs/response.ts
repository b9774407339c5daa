/** Flow runs in the form of an answer: JSON if the database writes it, or else columns, which the encoder writes. */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { jsonOfRow, jsonRows } from '../../../database/lists/json-rows.ts';
import { statement } from '../../../database/statement.ts';
import type { JsonText } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { ListPart } from '../../filters/pagination.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';
import { estimatedRunTime, estimatedStartTimeDelta } from '../rows/derived-columns.ts';
import { type FlowRunWithState, flowRunColumns, flowRunJoins } from '../rows/flow-runs.ts';
import { inMicroseconds, latenessOf, runTimeOf } from '../rows/run-estimates.ts';
import { wireState } from '../rows/stored-state.ts';
import { listFlowRuns, selectFlowRuns } from './list-queries.ts';
import { FlowRunResponse, type FlowRunSort } from './schema.ts';

/** A run in the shape of `FlowRunResponse`; estimates are as of `now`. */
export function flowRunResponse(run: FlowRunWithState, now: Timestamp) {
  return {
    ...run,
    work_queue_name: run.queue_name ?? run.work_queue_name,
    estimated_run_time: estimatedRunTime(run, now),
    estimated_start_time_delta: estimatedStartTimeDelta(run, now),
    state: wireState(run),
  };
}

type FlowRunAnswer = JsonText | ReturnType<typeof flowRunResponse>;

/** The columns that SQLite writes as the JSON of `flowRunResponse`. */
const written = jsonRows(FlowRunResponse, 'flow_run', {
  work_queue_name: { sql: 'work_queue.name', orColumn: true },
  work_pool_id: { sql: 'work_pool.id' },
  work_pool_name: { sql: 'work_pool.name' },
  estimated_run_time: (now, dialect) => inMicroseconds(runTimeOf('flow_run', now, dialect)),
  estimated_start_time_delta: (now, dialect) => inMicroseconds(latenessOf('flow_run', now, dialect)),
  state: { table: 'flow_run_state', alias: 'state' },
});

const answerById = statement<{ id: string; now: Timestamp }, object>(
  (_query, given, dialect) =>
    sql`select ${dialect.writesJson ? written.columns(given.now, dialect) : flowRunColumns} from flow_run ${flowRunJoins}
      where flow_run."workspace" = ${given.workspace} and flow_run.id = ${given.id}`,
);

/** Reads the answer with one run. Undefined if the run does not exist. */
export async function findFlowRunAnswer({ db, now }: Context, id: string): Promise<FlowRunAnswer | undefined> {
  const row = await db.first(answerById, { id, now });
  if (!row) return undefined;
  return db.dialect.writesJson
    ? (jsonOfRow(Object.values(row)) as JsonText)
    : flowRunResponse(row as FlowRunWithState, now);
}

/** One page: an array, or its JSON. */
export async function listFlowRunAnswers(
  { answerDb, now }: Context,
  filters: RelatedFilters,
  page: ListPart<FlowRunSort>,
): Promise<JsonText | ReturnType<typeof flowRunResponse>[]> {
  if (answerDb.listJson) {
    const columns = written.columnsWithMarks(now, answerDb.dialect);
    return answerDb.listJson(await selectFlowRuns(answerDb, filters, page, columns));
  }
  return (await listFlowRuns(answerDb, filters, page)).map((run) => flowRunResponse(run, now));
}
