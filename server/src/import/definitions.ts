/** Flows, deployments and what they need: pools, queues, limits, variables, saved searches. */
import { sql } from 'kysely';
import { statement } from '../database/statement.ts';
import type { Tx } from '../database/store.ts';
import { isJsonObject } from '../json.ts';
import { askForRunsAhead } from '../orchestration/deployments/runs-ahead.ts';
import { EMPTY_LIST, EMPTY_OBJECT, objectsIn, rowFrom, valueIn } from './rows.ts';
import type { SourceObject } from './source.ts';
import type { Import } from './step.ts';

export async function importVariables({ source, target }: Import): Promise<void> {
  for await (const page of source.objects('variables')) {
    const rows = page.map((variable) => rowFrom('variable', variable));
    await target.transaction((tx) => target.add(tx, 'variables', 'variable', rows, ['name']));
  }
}

export async function importSavedSearches({ source, target }: Import): Promise<void> {
  for await (const page of source.objects('saved_searches')) {
    const rows = page.map((search) => rowFrom('saved_search', search));
    await target.transaction((tx) => target.add(tx, 'saved searches', 'saved_search', rows, ['name']));
  }
}

/** Columns of a limit that the API does not show, with the values of a new one. */
const UNUSED_LIMIT = {
  active: true,
  denied_slots: 0,
  slot_decay_per_second: 0,
  avg_slot_occupancy_seconds: 2,
} as const;

/** Slots that are held stay behind: their holders know the source only. */
export async function importLimits({ source, target }: Import): Promise<void> {
  for await (const page of source.objects('concurrency_limits')) {
    const rows = page.map((limit) => rowFrom('concurrency_limit', limit, { unleased_slots: 0 }, UNUSED_LIMIT));
    await target.transaction((tx) => target.add(tx, 'concurrency limits', 'concurrency_limit', rows, ['name']));
  }
  for await (const page of source.objects('tag_concurrency_limits')) {
    const rows = page.map((limit) => {
      const tag = valueIn('text', 'tag_concurrency_limit', limit, 'tag');
      const most = valueIn('integer', 'tag_concurrency_limit', limit, 'concurrency_limit');
      const ofTag = { name: `tag:${tag}`, limit: most, unleased_slots: 0 };
      return rowFrom('concurrency_limit', limit, ofTag, UNUSED_LIMIT);
    });
    await target.transaction((tx) => target.add(tx, 'tag concurrency limits', 'concurrency_limit', rows, ['name']));
  }
}

/** Workers announce themselves here, so a pool or queue that arrives is not ready. */
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

/** Schedules arrive inactive, unless the import activates what it brings. */
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
  const { target, activates, wakeUps } = given;
  const schedules = objectsIn('deployment', deployment, 'schedules');
  if (schedules.length === 0) return;
  const deployment_id = target.idOf(String(deployment['id']));
  const rows = schedules.map((schedule) =>
    rowFrom('deployment_schedule', schedule, { deployment_id, active: false }, { parameters: EMPTY_OBJECT }),
  );
  await target.add(tx, 'schedules', 'deployment_schedule', rows);
  const active = schedules.filter((schedule) => schedule['active'] === true);
  if (activates && active.length > 0) {
    for (const { id } of active) await tx.run(activateSchedule, { id: target.idOf(String(id)) });
    await askForRunsAhead(
      { workspace: target.workspace, now: target.clock.now(), server: { wakeUps } },
      tx,
      deployment_id,
    );
  }
  target.inactiveSchedules += activates ? 0 : active.length;
}

const activateSchedule = statement<{ id: string }, unknown>(
  (_query, given) =>
    sql`update deployment_schedule set active = true where "workspace" = ${given.workspace} and id = ${given.id}`,
);
