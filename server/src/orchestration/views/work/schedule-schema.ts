import {
  DateTime,
  described,
  Nullable,
  OneOf,
  Parts,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { ScheduleInput, ScheduleOutput } from '../../deployments/schedules/schema.ts';

export const scheduleQuery = Type.Object({
  days: described(withDefault(Type.Integer({ minimum: 1, maximum: 14 }), 7), 'Number of days from now on.'),
});

/** Schedules with more dates than this are summarized. */
export const MOST_DATES = 96;
export const MOST_SCHEDULES = 300;
export const MOST_CLASHES = 20;

const PlannedSchedule = Shape(
  'PlannedSchedule',
  {
    id: Uuid(),
    deployment_id: Uuid(),
    deployment_name: Type.String(),
    flow_name: Type.String(),
    schedule: ScheduleOutput,
    times: described(Type.Array(DateTime()), 'The first 96.'),
    count: described(Type.Integer(), 'Runs in the period; an estimate if there are more than 96.'),
    run_time: described(Nullable(Type.Number()), 'Average duration in seconds of the last completed runs.'),
    is_readable: described(Type.Boolean(), 'False for a schedule that the server cannot compute.'),
  },
  'ignore',
);

const LimitClash = Shape(
  'LimitClash',
  {
    type: OneOf(['concurrency_limit', 'work_pool']),
    id: Uuid(),
    name: described(Type.String(), 'Name of the pool, of the limit, or of the deployment to which the limit belongs.'),
    limit: Type.Integer(),
    schedule_ids: Type.Array(Uuid()),
    count: described(Type.Integer(), 'Number of times at which more runs are planned than the limit allows.'),
    spans: described(
      Type.Array(Shape('ClashSpan', { start: DateTime(), end: DateTime(), peak: Type.Integer() }, 'ignore')),
      'The first 20.',
    ),
  },
  'ignore',
);

export const ScheduleView = Shape(
  'ScheduleView',
  {
    as_of: DateTime(),
    until: DateTime(),
    schedules: described(Type.Array(PlannedSchedule), 'Active schedules of deployments that are not paused, by name.'),
    left_off: described(Type.Integer(), 'Number of schedules beyond the first 300, which the answer leaves out.'),
    clashes: Type.Array(LimitClash),
  },
  'ignore',
);

export const ScheduleTimesBody = Parts(
  { schedule: ScheduleInput, count: withDefault(Type.Integer({ minimum: 1, maximum: 20 }), 5) },
  'Body_read_schedule_times_views_schedule_times_post',
);
export type ScheduleTimesBody = Static<typeof ScheduleTimesBody>;

export const ScheduleTimes = Shape(
  'ScheduleTimes',
  { times: described(Type.Array(DateTime()), 'Fewer than requested if the schedule ends before.') },
  'ignore',
);
