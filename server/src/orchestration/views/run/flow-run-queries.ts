/** The queries of the page of a flow run, except the one for the run itself. */
import { sql } from 'kysely';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { JsonText } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { StateCount } from '../runs/runs-schema.ts';
import { MESSAGE_LENGTH, type PastState } from './flow-run-schema.ts';

interface RunSurroundings {
  readonly flow_name: string;
  readonly deployment_name: string | null;
  readonly parent_id: string | null;
  readonly parent_name: string | null;
}

export const surroundings = statement<{ id: string }, RunSurroundings>(
  (_query, given) =>
    sql<RunSurroundings>`select flow.name as flow_name, deployment.name as deployment_name, parent.id as parent_id,
        parent.name as parent_name
      from flow_run
      join flow on flow.workspace = flow_run.workspace and flow.id = flow_run.flow_id
      left join deployment on deployment.workspace = flow_run.workspace and deployment.id = flow_run.deployment_id
      left join task_run on task_run.workspace = flow_run.workspace and task_run.id = flow_run.parent_task_run_id
      left join flow_run parent on parent.workspace = flow_run.workspace and parent.id = task_run.flow_run_id
      where flow_run."workspace" = ${given.workspace} and flow_run.id = ${given.id}`,
);

const MOST_STATES = 200;
const MOST_ATTEMPTS = 50;
const pastState = sql`id, type, name, timestamp, substr(message, 1, ${sql.lit(MESSAGE_LENGTH)}) as message`;

export const pastStates = statement<{ id: string }, PastState>(
  (_query, given) =>
    sql<PastState>`select ${pastState} from flow_run_state
      where "workspace" = ${given.workspace} and flow_run_id = ${given.id} order by timestamp limit ${sql.lit(MOST_STATES)}`,
);

export const attemptsOfTask = statement<{ id: string }, PastState>(
  (_query, given) =>
    sql<PastState>`select ${pastState} from task_run_state
      where "workspace" = ${given.workspace} and task_run_id = ${given.id} order by timestamp limit ${sql.lit(MOST_ATTEMPTS)}`,
);

export const countsOfTasks = statement<{ id: string }, StateCount>(
  (_query, given) =>
    sql<StateCount>`select coalesce(child.state_type, task_run.state_type) as state_type,
        coalesce(child.state_name, task_run.state_name) as state_name, count(*) as count
      from task_run
      left join flow_run child on child.workspace = task_run.workspace and child.parent_task_run_id = task_run.id
      where task_run."workspace" = ${given.workspace} and task_run.flow_run_id = ${given.id}
        and coalesce(child.state_type, task_run.state_type) is not null
      group by 1, 2 order by 1, 2`,
);

interface SuccessRow {
  readonly id: string;
  readonly name: string;
  readonly start_time: Timestamp | null;
  readonly run_time: number;
  readonly flow_version: string | null;
  readonly deployment_version: string | null;
  readonly parameters: JsonText;
}

const successColumns = sql`id, name, start_time, total_run_time as run_time, flow_version, deployment_version, parameters`;
const start = sql`coalesce(start_time, expected_start_time)`;

const successOfDeployment = statement<{ deployment_id: string; before: Timestamp }, SuccessRow>(
  (_query, given) =>
    sql<SuccessRow>`select ${successColumns} from flow_run where flow_run."workspace" = ${given.workspace}
      and deployment_id = ${given.deployment_id} and state_type = 'COMPLETED' and ${start} < ${given.before}
      order by ${start} desc limit 1`,
);

const successOfFlow = statement<{ flow_id: string; before: Timestamp }, SuccessRow>(
  (_query, given) =>
    sql<SuccessRow>`select ${successColumns} from flow_run where flow_run."workspace" = ${given.workspace}
      and flow_id = ${given.flow_id} and state_type = 'COMPLETED' and ${start} < ${given.before}
      order by ${start} desc limit 1`,
);

interface RunName {
  readonly id: string;
  readonly name: string;
}

const beforeOfDeployment = statement<{ deployment_id: string; before: Timestamp }, RunName>(
  (_query, given) =>
    sql<RunName>`select id, name from flow_run where flow_run."workspace" = ${given.workspace}
      and deployment_id = ${given.deployment_id} and ${start} < ${given.before} order by ${start} desc limit 1`,
);

const beforeOfFlow = statement<{ flow_id: string; before: Timestamp }, RunName>(
  (_query, given) =>
    sql<RunName>`select id, name from flow_run where flow_run."workspace" = ${given.workspace}
      and flow_id = ${given.flow_id} and ${start} < ${given.before} order by ${start} desc limit 1`,
);

const MOST_COMPARED = 500;

const failuresOfFlow = statement<
  { flow_id: string; id: string; since: Timestamp; before: Timestamp },
  { message: string | null }
>(
  (_query, given) =>
    sql<{ message: string | null }>`select substr(state.message, 1, 1000) as message from flow_run
      join flow_run_state state on state.workspace = flow_run.workspace and state.id = flow_run.state_id
      where flow_run."workspace" = ${given.workspace} and flow_run.flow_id = ${given.flow_id}
        and flow_run.state_type in ('FAILED', 'CRASHED') and flow_run.id <> ${given.id}
        and coalesce(flow_run.start_time, flow_run.expected_start_time) >= ${given.since}
        and coalesce(flow_run.start_time, flow_run.expected_start_time) <= ${given.before}
      order by coalesce(flow_run.start_time, flow_run.expected_start_time) desc limit ${sql.lit(MOST_COMPARED)}`,
);

/** Finds a run of the deployment, or of the flow if no run of the deployment has completed. */
export async function findLastSuccess(
  db: Db,
  run: { readonly flow_id: string; readonly deployment_id: string | null },
  before: Timestamp,
): Promise<SuccessRow | undefined> {
  const { flow_id, deployment_id } = run;
  const own = deployment_id === null ? undefined : await db.first(successOfDeployment, { deployment_id, before });
  return own ?? db.first(successOfFlow, { flow_id, before });
}

/** The run of the deployment, or of the flow without one, that started before. */
export function findPrevious(
  db: Db,
  { flow_id, deployment_id }: { readonly flow_id: string; readonly deployment_id: string | null },
  before: Timestamp,
): Promise<RunName | undefined> {
  return deployment_id === null
    ? db.first(beforeOfFlow, { flow_id, before })
    : db.first(beforeOfDeployment, { deployment_id, before });
}

export function listFailureMessages(
  db: Db,
  run: { readonly id: string; readonly flow_id: string },
  span: { readonly since: Timestamp; readonly before: Timestamp },
) {
  return db.all(failuresOfFlow, { id: run.id, flow_id: run.flow_id, ...span });
}
