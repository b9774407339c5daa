/** The values by which a list of task runs can be narrowed. */
import { sql } from 'kysely';
import { taskRunsByStart } from '../../runs/history/start-order.ts';
import { byDuration, byName, byState, byTag, byText, byTries, type CountValues, groupedBy } from './counted-values.ts';
import { deploymentNames, flowNames } from './flow-run-values.ts';
import { taskOfKey, type taskRunFieldNames, taskRunNarrowing } from './task-run-fields.ts';

const ofFlowRun = (column: string) => sql`(select ${sql.ref(`flow_run.${column}`)} from flow_run
  where flow_run.workspace = task_run.workspace and flow_run.id = task_run.flow_run_id)`;

/** Versions of the code of one task come together. */
const MOST_KEYS = 1000;

const byTask: CountValues = async (counted) => {
  const counts = new Map<string, number>();
  for (const { value, count } of await groupedBy({ ...counted, limit: MOST_KEYS }, sql`task_run.task_key`)) {
    const task = taskOfKey(String(value));
    counts.set(task, (counts.get(task) ?? 0) + count);
  }
  return { values: [...counts].map(([value, count]) => ({ value, label: value, count })) };
};

const counts: Readonly<Record<(typeof taskRunFieldNames)[number], CountValues>> = {
  flow: byName(ofFlowRun('flow_id'), flowNames),
  deployment: byName(ofFlowRun('deployment_id'), deploymentNames),
  tag: byTag,
  state: byState,
  tries: byTries,
  duration: byDuration,
  name: byText(sql`task_run.name`),
  task: byTask,
};

export const countedTaskRuns = { runs: taskRunsByStart, fields: taskRunNarrowing, counts };
