/** Flow runs in the form of an answer: JSON if the database writes it, or else columns, which the encoder writes. */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { jsonRows } from '../../../database/json-rows.ts';
import { statement } from '../../../database/statement.ts';
import type { JsonText } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { ListPart } from '../../filters/pagination.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';
import { estimatedRunTime, estimatedStartTimeDelta, type Timing } from '../rows/derived-columns.ts';
import { type FlowRunWithState, findFlowRun, flowRunJoins } from '../rows/flow-runs.ts';
import { wireState } from '../rows/stored-state.ts';
import { listFlowRuns } from './list-queries.ts';
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

/** The same as JSON. */
const written = jsonRows<Timing>(
  FlowRunResponse,
  'flow_run',
  ['state_type', 'state_timestamp', 'start_time', 'expected_start_time'],
  {
    work_queue_name: { sql: 'work_queue.name', orColumn: true },
    work_pool_id: { sql: 'work_pool.id' },
    work_pool_name: { sql: 'work_pool.name' },
    estimated_run_time: estimatedRunTime,
    estimated_start_time_delta: estimatedStartTimeDelta,
    state: { table: 'flow_run_state', alias: 'state' },
  },
);

const writtenById = statement<{ id: string }, Timing>(
  (_query, given) =>
    sql<Timing>`select ${written.columns} from flow_run ${flowRunJoins}
      where flow_run."workspace" = ${given.workspace} and flow_run.id = ${given.id}`,
);

/** Undefined when there is no such run. */
export async function findFlowRunAnswer({ db, now }: Context, id: string): Promise<FlowRunAnswer | undefined> {
  if (db.dialect.writesJson) {
    const row = await db.first(writtenById, { id });
    return row && written.write(row, now);
  }
  const run = await findFlowRun(db, id);
  return run && flowRunResponse(run, now);
}

export async function listFlowRunAnswers(
  { answerDb, now }: Context,
  filters: RelatedFilters,
  page: ListPart<FlowRunSort>,
): Promise<FlowRunAnswer[]> {
  if (answerDb.dialect.writesJson) {
    const rows = await listFlowRuns<Timing>(answerDb, filters, page, written.columnsWithMarks);
    return rows.map((row) => written.write(row, now));
  }
  return (await listFlowRuns(answerDb, filters, page)).map((run) => flowRunResponse(run, now));
}
