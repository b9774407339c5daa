/** Imports flows, deployments and the objects that they need: pools, queues, limits, variables, saved searches. */

import { sql } from 'kysely';
import type { Db, Tx } from '../../database/store.ts';
import { askForRunsAhead } from '../../orchestration/deployments/runs-ahead.ts';
import { schedules as deploymentSchedules } from '../../orchestration/deployments/schedules/queries.ts';
import { isJsonObject, isRawNumber, type JsonText, numberOf } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import { EMPTY_LIST, EMPTY_OBJECT, objectsIn, rowFrom, valueIn } from './rows.ts';
import type { SourceObject } from './sources/source.ts';
import { standingHere } from './standing.ts';
import type { Import } from './step.ts';

const NULL = 'null' as JsonText;

export async function importVariables({ source, target }: Import): Promise<void> {
  for await (const page of source.objects('variables')) {
    const rows = page.map((variable) => rowFrom('variable', variable, {}, { value: NULL }));
    await target.transaction((tx) => target.add(tx, 'variables', 'variable', rows, ['name']));
  }
}

export async function importSavedSearches({ source, target }: Import): Promise<void> {
  for await (const page of source.objects('saved_searches')) {
    const rows = page.map((search) => rowFrom('saved_search', search));
    await target.transaction((tx) => target.add(tx, 'saved searches', 'saved_search', rows, ['name']));
  }
}

/** Columns of a limit that the API does not show, with their values for a new limit. */
const UNUSED_LIMIT = {
  active: true,
  denied_slots: 0,
  slot_decay_per_second: 0,
  avg_slot_occupancy_seconds: 2,
} as const;

const SLOTS = 'Their holders use only the source, and take slots here when they start here.';

/** Slots that are held are not imported, because their holders know only the source. */
export async function importLimits({ source, target }: Import): Promise<void> {
  const names = new Set<unknown>();
  for await (const page of source.objects('concurrency_limits')) {
    for (const { name } of page) names.add(name);
    for (const { active_slots } of page) target.leave('slots that are held', countIn(active_slots), SLOTS);
    const rows = page.map((limit) => rowFrom('concurrency_limit', limit, { unleased_slots: 0 }, UNUSED_LIMIT));
    await target.transaction((tx) => target.add(tx, 'concurrency limits', 'concurrency_limit', rows, ['name']));
  }
  // Servers of 3.4 and later also list them among the others, under the name that they have here.
  for await (const listed of source.objects('tag_concurrency_limits')) {
    const page = listed.filter(({ tag }) => !names.has(`tag:${tag}`));
    if (page.length === 0) continue;
    for (const { active_slots } of page) target.leave('slots that are held', countIn(active_slots), SLOTS);
    const rows = page.map((limit) => {
      const tag = valueIn('text', 'tag_concurrency_limit', limit, 'tag');
      const most = valueIn('integer', 'tag_concurrency_limit', limit, 'concurrency_limit');
      const ofTag = { name: `tag:${tag}`, limit: most, unleased_slots: 0 };
      return rowFrom('concurrency_limit', limit, ofTag, UNUSED_LIMIT);
    });
    await target.transaction((tx) => target.add(tx, 'tag concurrency limits', 'concurrency_limit', rows, ['name']));
  }
}

/** Workers connect to the source until they are moved, so an imported pool or queue is not ready. */
const NOT_READY = { status: 'NOT_READY', last_polled: null } as const;

export async function importPools({ source, target }: Import): Promise<void> {
  for await (const page of source.objects('work_pools')) {
    const stored = { status: NOT_READY.status, last_status_event_id: null };
    const absent = { base_job_template: EMPTY_OBJECT, storage_configuration: EMPTY_OBJECT };
    const rows = page.map((pool) => rowFrom('work_pool', pool, stored, absent));
    await target.transaction((tx) => target.add(tx, 'work pools', 'work_pool', rows, ['name']));
  }
  for await (const page of source.objects('work_queues')) {
    const rows = page.map((queue) => {
      const ofPool = { ...NOT_READY, work_pool_id: target.idOf(valueIn('uuid', 'work_queue', queue, 'work_pool_id')) };
      return rowFrom('work_queue', queue, ofPool, { description: '' });
    });
    await target.transaction((tx) => target.add(tx, 'work queues', 'work_queue', rows, ['work_pool_id', 'name']));
  }
}

export async function importFlows({ source, target }: Import): Promise<void> {
  for await (const page of source.objects('flows')) {
    const rows = page.map((flow) => rowFrom('flow', flow, { removed: null }, { tags: EMPTY_LIST }));
    await target.transaction((tx) => target.add(tx, 'flows', 'flow', rows, ['name']));
  }
}

/** Imports deployments. Their schedules are inactive unless the import activates what it brings. */
export async function importDeployments(given: Import): Promise<void> {
  const { source, target } = given;
  for await (const page of source.objects('deployments')) {
    await target.transaction(async (tx) => {
      const rows = page.map((deployment) => deploymentRow(deployment, target));
      await target.add(tx, 'deployments', 'deployment', rows, ['flow_id', 'name']);
      for (const deployment of page) await importSchedules(tx, given, deployment);
    });
  }
}

function deploymentRow(deployment: SourceObject, target: Import['target']) {
  const limit = deployment['global_concurrency_limit'];
  return rowFrom(
    'deployment',
    deployment,
    {
      flow_id: target.idOf(valueIn('uuid', 'deployment', deployment, 'flow_id')),
      work_queue_id: target.idOf(deployment['work_queue_id']),
      storage_document_id: target.idOf(deployment['storage_document_id']),
      infrastructure_document_id: target.idOf(deployment['infrastructure_document_id']),
      concurrency_limit_id: isJsonObject(limit) ? target.idOf(limit['id']) : null,
      ...NOT_READY,
      schedule_due: null,
    },
    {
      paused: false,
      job_variables: EMPTY_OBJECT,
      parameters: EMPTY_OBJECT,
      tags: EMPTY_LIST,
      enforce_parameter_schema: false,
    },
  );
}

async function importSchedules(tx: Tx, given: Import, deployment: SourceObject): Promise<void> {
  const { target, activates, hub } = given;
  const schedules = objectsIn('deployment', deployment, 'schedules');
  if (schedules.length === 0) return;
  const deployment_id = target.idOf(String(deployment['id']));
  const rows = schedules.map((schedule) =>
    rowFrom('deployment_schedule', schedule, { deployment_id, active: false }, { parameters: EMPTY_OBJECT }),
  );
  const ids = rows.map(({ id }) => id);
  const here = new Map((await schedulesHere(tx, ids)).map((schedule) => [schedule.id, schedule]));
  await target.add(tx, 'schedules', 'deployment_schedule', rows);
  const isActive = new Set(schedules.filter(({ active }) => active === true).map(({ id }) => String(id)));
  let activated = 0;
  for (const { id, updated } of rows.filter(({ id }) => isActive.has(id))) {
    const standing = standingHere(here.get(id), updated);
    if (standing === 'switched off') target.switchedOff++;
    if (standing === 'active') target.activeSchedules++;
    if (standing !== 'as brought') continue;
    if (!activates) {
      target.inactiveSchedules++;
      continue;
    }
    activated++;
    await deploymentSchedules.changeAll(tx, { id }, { active: true });
    target.count('schedules', 0, 0, here.has(id) ? 1 : 0);
  }
  target.activatedSchedules += activated;
  if (activated === 0) return;
  const context = { workspace: target.workspace, now: target.clock.now(), server: { hub } };
  await askForRunsAhead(context, tx, deployment_id);
}

/** The number of used slots: a number, or the list of the runs that hold them. */
function countIn(slots: unknown): number {
  return Array.isArray(slots) ? slots.length : Number(isRawNumber(slots) ? numberOf(slots) : slots) || 0;
}

interface ScheduleHere {
  readonly id: string;
  readonly active: boolean;
  readonly paused: boolean | null;
  readonly updated: Timestamp;
}

function schedulesHere(db: Db, ids: readonly string[]): Promise<ScheduleHere[]> {
  return db.query(
    sql<ScheduleHere>`select id, active, paused, updated from deployment_schedule where "workspace" = ${db.workspace}
      and ${db.dialect.oneOf(sql`id`, ids, 'uuid')}`,
  );
}
