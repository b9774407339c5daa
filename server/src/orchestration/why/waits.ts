/** Says in a few words why the runs of a page wait. The facts are read for all of them together. */
import { sql } from 'kysely';
import type { Db } from '../../database/store.ts';
import type { JsonText } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import type { StateType } from '../filters/field-schema.ts';
import { limitsById } from '../limits/global-limits/deployment-limit.ts';
import type { LimitInUse } from '../limits/global-limits/queries.ts';
import { tagOfLimitName } from '../limits/global-limits/tag-slots.ts';
import { readDetails } from '../runs/rows/stored-state.ts';
import { isDue, isLimitFull, scheduledReasons } from './scheduled-reasons.ts';
import { activeTagLimits, listQueuesOfRuns } from './why-queries.ts';
import type { FlowRunReason } from './why-schema.ts';

/** A run that may wait. */
interface ListedRun {
  readonly id: string;
  readonly state_type: string | null;
  readonly state_name: string | null;
  readonly next_scheduled_start_time: Timestamp | null;
}

interface Wait {
  /** For example, `no worker in gpu-k8s`. */
  readonly reason: string;
  /** The time at which the run tries again, or at which its wait ends. */
  readonly waits_until: Timestamp | null;
}

const NO_HOLDERS = { limit: [], pool: [], queue: [] };

/** The waiting runs by their ids. Runs that are not due yet do not wait. */
export async function readWaits(
  scope: { readonly db: Db; readonly now: Timestamp },
  runs: readonly ListedRun[],
): Promise<ReadonlyMap<string, Wait>> {
  const { now } = scope;
  const isOf = (type: StateType) => (run: ListedRun) => run.state_type === type;
  const retries = ({ state_name }: ListedRun) => state_name?.startsWith('Awaiting') === true;
  const scheduled = runs.filter(isOf('SCHEDULED')).filter((run) => isDue(run, now) || retries(run));
  const [ofScheduled, ofPaused, ofRunning] = await Promise.all([
    waitsOfScheduled(scope, scheduled),
    waitsOfPaused(scope, runs.filter(isOf('PAUSED'))),
    waitsOfRunning(scope, runs.filter(isOf('RUNNING'))),
  ]);
  const ofPending = runs
    .filter(isOf('PENDING'))
    .map(({ id }) => [id, { reason: 'a worker prepares it', waits_until: null }] as const);
  return new Map([...ofScheduled, ...ofPaused, ...ofRunning, ...ofPending]);
}

type Waits = (readonly [id: string, Wait])[];

interface Scheduled {
  readonly id: string;
  readonly deployment_id: string | null;
  readonly work_queue_id: string | null;
  readonly work_queue_name: string | null;
  readonly next_scheduled_start_time: Timestamp | null;
  readonly empirical_policy: string;
  readonly state_name: string;
  readonly state_timestamp: Timestamp;
  /** Null when the deployment was deleted. */
  readonly deployment_name: string | null;
  readonly paused: boolean | null;
  readonly last_polled: Timestamp | null;
  readonly concurrency_limit_id: string | null;
}

async function waitsOfScheduled({ db, now }: { readonly db: Db; readonly now: Timestamp }, runs: readonly ListedRun[]) {
  if (runs.length === 0) return [];
  const found = await db.query(
    sql<Scheduled>`select flow_run.id, flow_run.deployment_id, flow_run.work_queue_id, flow_run.work_queue_name,
        flow_run.next_scheduled_start_time, flow_run.empirical_policy, flow_run.state_name, flow_run.state_timestamp,
        deployment.name as deployment_name, deployment.paused, deployment.last_polled, deployment.concurrency_limit_id
      from flow_run left join deployment on deployment.workspace = flow_run.workspace
        and deployment.id = flow_run.deployment_id
      where flow_run."workspace" = ${db.workspace} and ${ofRuns(db, runs)}`,
    { recurs: true },
  );
  const [queues, limits] = await Promise.all([
    listQueuesOfRuns(db, distinct(found.map(({ work_queue_id }) => work_queue_id)), now),
    limitsById(db, distinct(found.map(({ concurrency_limit_id }) => concurrency_limit_id)), now),
  ]);
  const queueBy = new Map(queues.map((queue) => [queue.id, queue]));
  return found.flatMap((run): Waits => {
    const { deployment_id, deployment_name, paused, last_polled } = run;
    const deployment =
      deployment_id === null || deployment_name === null
        ? undefined
        : { id: deployment_id, name: deployment_name, paused: paused === true, last_polled };
    const facts = {
      deployment,
      queue: queueBy.get(run.work_queue_id ?? ''),
      limit: limits.get(run.concurrency_limit_id ?? ''),
      holders: NO_HOLDERS,
      activeSchedules: undefined,
    };
    const reasons = scheduledReasons(run, { name: run.state_name, timestamp: run.state_timestamp }, facts, now);
    const blocking = reasons.filter(({ blocks, code }) => blocks && code !== 'waiting_for_slot');
    const shown = blocking[0] ?? reasons.find(({ blocks }) => blocks);
    const until = reasons.find(({ until: time }) => time !== null)?.until ?? null;
    return shown ? [[run.id, { reason: inWords(shown, deployment_name), waits_until: until }]] : [];
  });
}

interface Paused {
  readonly id: string;
  readonly details: JsonText | null;
}

async function waitsOfPaused({ db }: { readonly db: Db }, runs: readonly ListedRun[]): Promise<Waits> {
  if (runs.length === 0) return [];
  const found = await db.query(
    sql<Paused>`select flow_run.id, state.state_details as details from flow_run
      left join flow_run_state state on state.workspace = flow_run.workspace and state.id = flow_run.state_id
      where flow_run."workspace" = ${db.workspace} and ${ofRuns(db, runs)}`,
    { recurs: true },
  );
  return found.map(({ id, details }) => {
    const { run_input_keyset, pause_timeout } = details === null ? {} : readDetails(details);
    const reason = run_input_keyset ? 'waits for input' : 'waits to be resumed';
    return [id, { reason, waits_until: pause_timeout ?? null }];
  });
}

/** The task runs of a running run wait for the limits on their tags. */
async function waitsOfRunning(
  { db, now }: { readonly db: Db; readonly now: Timestamp },
  runs: readonly ListedRun[],
): Promise<Waits> {
  if (runs.length === 0) return [];
  const full = (await db.all(activeTagLimits, { now })).filter((limit) => isLimitFull(limit, now));
  if (full.length === 0) return [];
  const limitBy = new Map(full.map((limit) => [tagOfLimitName(limit.name), limit]));
  const found = await db.query(
    sql<{ id: string; tag: string }>`select task_run.flow_run_id as id, min(tag.tag) as tag
      from task_run join task_run_tag tag on tag.workspace = task_run.workspace and tag.task_run_id = task_run.id
      where task_run."workspace" = ${db.workspace} and task_run.state_type in ('SCHEDULED', 'PENDING')
        and ${db.dialect.oneOf(sql`task_run.flow_run_id`, idsOf(runs), 'uuid')}
        and ${db.dialect.oneOf(sql`tag.tag`, [...limitBy.keys()], 'text')}
      group by 1`,
  );
  return found.map(({ id, tag }) => [id, { reason: forSlotOf(`tag ${tag}`, limitBy.get(tag)!), waits_until: null }]);
}

const idsOf = (runs: readonly ListedRun[]) => runs.map(({ id }) => id);
const ofRuns = ({ dialect }: Db, runs: readonly ListedRun[]) => dialect.oneOf(sql`flow_run.id`, idsOf(runs), 'uuid');
const distinct = (values: readonly (string | null)[]) => [...new Set(values.filter((value) => value !== null))];

function forSlotOf(name: string, { limit }: Pick<LimitInUse, 'limit'>): string {
  return `waits for a slot of ${name} (0 of ${limit} free)`;
}

function inWords({ code, resource, limit }: FlowRunReason, deployment: string | null): string {
  const name = resource?.name ?? '';
  switch (code) {
    case 'no_start_time':
      return 'has no start time';
    case 'waiting_for_retry':
      return 'waits to retry';
    case 'waiting_for_slot':
      return `waits for a slot of ${deployment ?? 'its deployment'}`;
    case 'waiting_for_process':
      return 'waits for its process';
    case 'no_deployment':
      return 'no deployment';
    case 'deployment_deleted':
      return 'its deployment was deleted';
    case 'deployment_limit_zero':
      return `the limit of ${name} is 0`;
    case 'deployment_limit_full':
      return forSlotOf(deployment ?? 'its deployment', { limit: limit ?? 0 });
    case 'work_queue_deleted':
      return `work queue ${name} was deleted`;
    case 'work_pool_paused':
      return `work pool ${name} is paused`;
    case 'work_queue_paused':
      return `work queue ${name} is paused`;
    case 'work_pool_full':
    case 'work_queue_full':
      return forSlotOf(name, { limit: limit ?? 0 });
    case 'no_worker':
      return `no worker in ${name}`;
    case 'work_queue_not_polled':
      return `no worker polls ${name}`;
    case 'deployment_not_served':
      return `no process serves ${name}`;
    default:
      return 'next in line';
  }
}
