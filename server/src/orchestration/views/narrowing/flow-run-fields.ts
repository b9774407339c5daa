/** The fields by which a list of flow runs is narrowed. */
import { sql } from 'kysely';
import { type Condition, or } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';
import { isUuid } from '../../../values/id.ts';
import { hasFailedAtTop } from '../../why/failures.ts';
import { mentionsCause, runFieldsOf, yesOrNo } from './fields-of-runs.ts';
import { deploymentIds, flowIds, idsOfRunsWithCause, queueIds, queueIdsOfPools } from './named-ids.ts';
import type { NarrowingField } from './narrow.ts';

/** Characters of a message in which a cause is searched. */
const SEARCHED_OF_MESSAGE = 2000;

const parameters = sql.ref('flow_run.parameters');

export const flowRunFieldNames = [
  'flow',
  'deployment',
  'work_pool',
  'work_queue',
  'tag',
  'state',
  'tries',
  'duration',
  'parameter',
  'cause',
  'failed',
  'name',
  'subflow',
] as const;

/** To add a field, add it here, to the names above and to the values (`values/`). */
export const flowRunNarrowing: Readonly<Record<(typeof flowRunFieldNames)[number], NarrowingField>> = {
  ...runFieldsOf('flow_run'),
  flow: {
    among: async (values, { db }) => db.dialect.oneOf(sql`flow_run.flow_id`, await flowIds(db, values), 'uuid'),
    filters: async (values, { db }) => ({ flows: { id: { any_: await flowIds(db, values) } } }),
  },
  deployment: {
    among: async (values, { db }) =>
      db.dialect.oneOf(sql`flow_run.deployment_id`, await deploymentIds(db, values), 'uuid'),
    filters: async (values, { db }) => ({ deployments: { id: { any_: await deploymentIds(db, values) } } }),
  },
  work_pool: {
    among: async (values, { db }) =>
      db.dialect.oneOf(sql`flow_run.work_queue_id`, await queueIdsOfPools(db, values), 'uuid'),
  },
  work_queue: {
    among: async (values, { db }) =>
      or([
        db.dialect.oneOf(sql`flow_run.work_queue_id`, await queueIds(db, values), 'uuid'),
        ofDeletedQueue(db, values),
      ]),
  },
  parameter: {
    readsParameters: true,
    among: (values, { db }) => haveParameter(db, values),
  },
  cause: {
    filters: async (values, { db }) => {
      const ids = values.every(isUuid) ? await idsOfRunsWithCause(db, values) : undefined;
      return ids && { flow_runs: { id: { any_: ids } } };
    },
    among: (values, { db }) =>
      or([
        ...(values.some(isUuid) ? [haveCause(db, values.filter(isUuid))] : []),
        ...(values.every(isUuid)
          ? []
          : [
              sayCause(
                db,
                values.filter((value) => !isUuid(value)),
              ),
            ]),
      ]),
  },
  failed: yesOrNo(hasFailedAtTop),
  subflow: yesOrNo(sql<boolean>`flow_run.parent_task_run_id is not null`),
};

function ofDeletedQueue({ dialect }: Db, names: readonly string[]): Condition {
  return sql<boolean>`(${dialect.oneOf(dialect.unindexed(sql`flow_run.work_queue_name`), names, 'text')}
    and not exists (select 1 from work_queue where work_queue.workspace = flow_run.workspace
      and work_queue.id = flow_run.work_queue_id))`;
}

const NAME_AND_VALUE = /^([^=]+)=(.*)$/s;

/**
 * `name=value`, or a text that occurs in the parameters, as JSON writes it. The parameters of a run may be large, so they
 * are read once for all values.
 */
function haveParameter({ dialect }: Db, asked: readonly string[]): Condition {
  const pairs = asked.flatMap((one) => {
    const [, name, value = ''] = NAME_AND_VALUE.exec(one) ?? [];
    return name === undefined ? [] : [sql<boolean>`(held.name = ${name.trim()} and held.value = ${value.trim()})`];
  });
  const texts = asked
    .filter((one) => !NAME_AND_VALUE.test(one))
    .map((one) => dialect.occurs(dialect.foldCase(sql`${JSON.stringify(one).slice(1, -1)}`), sql`searched.folded`));
  const holdsPair = sql<boolean>`exists (select 1 from ${dialect.valuesIn(parameters)} held where ${or(pairs)})`;
  const holdsText = sql<boolean>`exists (
    with searched as materialized (select ${dialect.foldCase(parameters)} as folded)
    select 1 from searched where ${or(texts)})`;
  return or([...(pairs.length > 0 ? [holdsPair] : []), ...(texts.length > 0 ? [holdsText] : [])]);
}

/** Runs that have failed for the causes with these ids, at the top of their trees, whatever their state is now. */
function haveCause({ dialect }: Db, ids: readonly string[]): Condition {
  return sql<boolean>`exists (select 1 from failure where failure.workspace = flow_run.workspace
    and failure.flow_run_id = flow_run.id and failure.part_of is null
    and ${dialect.nested.oneOf(sql`failure.cause_id`, ids, 'uuid')})`;
}

/** Runs of which a failure says the same. */
function sayCause(db: Db, causes: readonly string[]): Condition {
  return sql<boolean>`exists (select 1 from flow_run_state failed where failed.workspace = flow_run.workspace
    and failed.flow_run_id = flow_run.id and failed.type in ('FAILED', 'CRASHED')
    and ${or(causes.map((cause) => failedBy(db, cause)))})`;
}

function failedBy({ dialect }: Db, cause: string): Condition {
  const message = sql`substr(failed.message, 1, ${sql.lit(SEARCHED_OF_MESSAGE)})`;
  return mentionsCause(message, cause, dialect.containsLiterally);
}
