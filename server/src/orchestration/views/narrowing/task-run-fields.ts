/** The fields by which a list of task runs is narrowed. */
import { sql } from 'kysely';
import { type Condition, or } from '../../../database/dialect/dialect.ts';
import { runFieldsOf } from './fields-of-runs.ts';
import { deploymentIds, flowIds } from './named-ids.ts';
import type { NarrowingField } from './narrow.ts';

export const taskRunFieldNames = ['flow', 'deployment', 'tag', 'state', 'tries', 'duration', 'name', 'task'] as const;

export const taskRunNarrowing: Readonly<Record<(typeof taskRunFieldNames)[number], NarrowingField>> = {
  ...runFieldsOf('task_run'),
  flow: {
    among: async (values, { db }) =>
      ofFlowRun(db.dialect.nested.oneOf(sql`flow_run.flow_id`, await flowIds(db, values), 'uuid')),
  },
  deployment: {
    among: async (values, { db }) =>
      ofFlowRun(db.dialect.nested.oneOf(sql`flow_run.deployment_id`, await deploymentIds(db, values), 'uuid')),
  },
  task: {
    among: (values, { db }) =>
      or(
        values.map((value) => {
          // Clients write the name of the function and a hash of its code: `load-1f3a9c2e`.
          const key = sql`task_run.task_key`;
          return or([sql<boolean>`${key} = ${value}`, db.dialect.startsWithLiterally(key, `${value}-`)]);
        }),
      ),
  },
};

/** The key of a task ends with a hash of its code, which changes with it. */
const HASH = /-[0-9a-f]{8,}$/;

/** `load` for the key `load-1f3a9c2e`. */
export function taskOfKey(key: string): string {
  return key.replace(HASH, '');
}

function ofFlowRun(condition: Condition): Condition {
  return sql<boolean>`exists (select 1 from flow_run where flow_run.workspace = task_run.workspace
    and flow_run.id = task_run.flow_run_id and ${condition})`;
}
