/** Runs that a schedule has created. One statement inserts many, because hundreds are created at once. */
import { sql } from 'kysely';
import { statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { JsonText } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';

/** The fields that the runs of one schedule share. */
interface CommonOfRuns {
  readonly now: Timestamp;
  readonly flow_id: string;
  readonly deployment_id: string;
  readonly deployment_version: string | null;
  readonly work_queue_id: string | null;
  readonly work_queue_name: string | null;
  readonly parameters: JsonText;
  readonly empirical_policy: JsonText;
  readonly tags: JsonText;
  readonly labels: JsonText;
  readonly infrastructure_document_id: string | null;
  readonly created_by: JsonText;
}

interface ScheduledRun {
  readonly id: string;
  readonly name: string;
  readonly state_id: string;
  readonly due: Timestamp;
  readonly idempotency_key: string;
  readonly state_details: JsonText;
}

const runKinds = { id: 'uuid', name: 'text', state_id: 'uuid', due: 'timestamp', idempotency_key: 'text' } as const;

const insertRuns = statement<CommonOfRuns & { runs: string }, Pick<Row<'flow_run'>, 'id'>>(
  (_query, given, dialect) => sql`insert into flow_run ("workspace", id, created, updated, name, flow_id, state_id,
      deployment_id, deployment_version, work_queue_id, work_queue_name, parameters, idempotency_key, context,
      empirical_policy, tags, labels, state_type, state_name, state_timestamp, run_count, expected_start_time,
      next_scheduled_start_time, total_run_time, auto_scheduled, infrastructure_document_id, created_by, job_variables)
    select ${dialect.typed(given.workspace, 'integer')}, item.id, ${dialect.typed(given.now, 'timestamp')},
      ${dialect.typed(given.now, 'timestamp')}, item.name, ${dialect.typed(given.flow_id, 'uuid')}, item.state_id,
      ${dialect.typed(given.deployment_id, 'uuid')}, ${dialect.typed(given.deployment_version, 'text')},
      ${dialect.typed(given.work_queue_id, 'uuid')}, ${dialect.typed(given.work_queue_name, 'text')},
      ${dialect.typed(given.parameters, 'text')}, item.idempotency_key, '{}',
      ${dialect.typed(given.empirical_policy, 'text')}, ${dialect.typed(given.tags, 'text')},
      ${dialect.typed(given.labels, 'text')}, 'SCHEDULED', 'Scheduled', ${dialect.typed(given.now, 'timestamp')}, 0,
      item.due, item.due, 0, true, ${dialect.typed(given.infrastructure_document_id, 'uuid')},
      ${dialect.typed(given.created_by, 'text')}, '{}'
    from ${dialect.rowsFrom(given.runs, runKinds)} item where true
    on conflict ("workspace", flow_id, idempotency_key) where idempotency_key is not null do nothing
    returning id`,
);

const insertStates = statement<{ states: string; now: Timestamp }, unknown>(
  (_query, given, dialect) => sql`insert into flow_run_state
      ("workspace", id, flow_run_id, type, name, timestamp, message, state_details)
    select ${dialect.typed(given.workspace, 'integer')}, item.state_id, item.id, 'SCHEDULED', 'Scheduled',
      ${dialect.typed(given.now, 'timestamp')}, 'Flow run scheduled', item.state_details
    from ${dialect.rowsFrom(given.states, { id: 'uuid', state_id: 'uuid', state_details: 'text' })} item`,
);

const insertTags = statement<{ states: string; tags: JsonText }, unknown>(
  (_query, given, dialect) => sql`insert into flow_run_tag ("workspace", tag, flow_run_id)
    select distinct ${dialect.typed(given.workspace, 'integer')}, tag.value, item.id
    from ${dialect.rowsFrom(given.states, { id: 'uuid' })} item cross join ${dialect.textsFrom(given.tags)} tag`,
);

/** Inserts the runs whose idempotency key the flow does not have yet; returns their number. They emit no events. */
export async function insertScheduledRuns(
  tx: Tx,
  common: CommonOfRuns,
  runs: readonly ScheduledRun[],
): Promise<number> {
  if (runs.length === 0) return 0;
  const inserted = new Set(
    (await tx.all(insertRuns, { ...common, runs: JSON.stringify(runs, Object.keys(runKinds)) })).map(({ id }) => id),
  );
  if (inserted.size === 0) return 0;
  const states = JSON.stringify(runs.filter(({ id }) => inserted.has(id)));
  await tx.run(insertStates, { states, now: common.now });
  await tx.run(insertTags, { states, tags: common.tags });
  return inserted.size;
}
