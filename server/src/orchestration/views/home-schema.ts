import { DateTime, described, Nullable, Shape, Type, Uuid, withDefault } from '../../schema/kinds.ts';
import { FailureCause } from '../causes/schema.ts';
import { HistoryResponse } from '../runs/rows/state-schema.ts';
import { FlowRunReason } from '../why/why-schema.ts';
import { RunRow } from './runs/run-row.ts';
import { StateCount } from './runs/runs-schema.ts';

export const homeQuery = Type.Object({
  seconds: described(
    withDefault(Type.Integer({ minimum: 60, maximum: 31_536_000 }), 86_400),
    'Number of past seconds that failures, the history and durations cover.',
  ),
});

const FailedActions = Shape(
  'FailedActions',
  {
    automation_id: Uuid(),
    automation_name: Type.String(),
    count: Type.Integer(),
    last: DateTime(),
    last_failure: described(Nullable(Type.String()), 'Why the newest of these actions failed.'),
  },
  'ignore',
);

const StuckRun = Shape('StuckRun', { run: RunRow, reasons: Type.Array(FlowRunReason) }, 'ignore');

export const HomeView = Shape(
  'HomeView',
  {
    as_of: DateTime(),
    since: DateTime(),
    now: described(Type.Array(StateCount), 'All unfinished runs, by state.'),
    history: described(Type.Array(HistoryResponse), 'Runs by their expected start, in 48 intervals.'),
    failed: described(
      Type.Integer(),
      'Attempts of runs that failed or crashed since `since`, also of runs that were retried. A failure of a subflow that made its parents fail counts once.',
    ),
    failed_counted_since: described(Nullable(DateTime()), 'Older failures are not counted. Null if all are counted.'),
    causes: described(
      Type.Array(FailureCause),
      'Up to five open causes of failures that came since `since`: those that came back, the new ones, the others.',
    ),
    cause_count: described(Type.Integer(), 'All open causes that came since `since`.'),
    paused: described(Type.Array(RunRow), 'The five runs that wait longest for a person.'),
    stuck_count: described(Type.Integer(), 'Runs that are late, or have been pending for over five minutes.'),
    stuck: described(
      Type.Array(StuckRun),
      'The five runs that wait longest, each with the reasons that prevent its start.',
    ),
    failed_actions: described(
      Type.Array(FailedActions),
      'The five automations whose actions failed last, of the 1,000 newest failures since `since`.',
    ),
    upcoming: described(Type.Array(RunRow), 'The six runs that are due next.'),
    run_time: described(
      Nullable(Shape('RunTimeQuantiles', { p50: Type.Number(), p95: Type.Number(), count: Type.Integer() }, 'ignore')),
      'Seconds in Running of the 1,000 newest completed runs since `since`; null without one.',
    ),
    flows: described(Type.Integer(), 'Flows of the workspace.'),
    deployments: Type.Integer(),
    first_hour: described(Type.Boolean(), 'True while the home page shows the first steps of the workspace.'),
  },
  'ignore',
);
