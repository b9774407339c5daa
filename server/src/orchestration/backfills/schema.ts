import {
  DateTime,
  described,
  Enum,
  JsonObject,
  Maybe,
  Nullable,
  Parts,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';
import { ScheduleInput, ScheduleOutput } from '../deployments/schedules/schema.ts';
import { stamps } from '../filters/field-schema.ts';
import { limit, offset } from '../filters/filter-schema.ts';

/** Runs of one backfill: slightly fewer than the dates that a schedule computes at once. */
export const MOST_DATES = 1000;
export const MOST_UNFINISHED = 100;
const MAX_NAME_LENGTH = 200;

export const BackfillStatus = Enum('BackfillStatus', ['RUNNING', 'PAUSED', 'CANCELLING', 'CANCELLED', 'COMPLETED']);
export type BackfillStatus = Static<typeof BackfillStatus>;

const range = {
  deployment_id: Uuid(),
  start_time: described(DateTime(), 'The first date that may get a run.'),
  end_time: described(DateTime(), 'The last date that may get a run; not in the future.'),
  schedule_id: described(Maybe(Uuid()), 'A schedule of the deployment. Either this or `schedule` is given.'),
  schedule: described(
    Maybe(ScheduleInput),
    'The rule for the dates, in the form of a schedule; an interval begins at `start_time`.',
  ),
};

const rangeFault = ({ start_time, end_time, schedule, schedule_id }: Static<typeof Range>) => {
  if (end_time < start_time) return 'end_time must not be before start_time';
  if ((schedule ?? null) === null && (schedule_id ?? null) === null) return 'schedule or schedule_id must be given';
  return schedule && schedule_id ? 'schedule and schedule_id must not both be given' : undefined;
};
const Range = Shape('BackfillRange', range);

export const BackfillPlanBody = refine(Shape('BackfillPlanBody', range), rangeFault);
export type BackfillRange = Static<typeof Range>;

export const BackfillCreate = refine(
  Shape('BackfillCreate', {
    ...range,
    name: Maybe(Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH })),
    parameters: described(
      Type.Optional(JsonObject()),
      'Parameters of each run. They override those of the deployment.',
    ),
    date_parameter: described(
      Maybe(Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH })),
      'Name of the parameter that gets the date of each run, in ISO 8601.',
    ),
    max_unfinished: described(
      withDefault(Type.Integer({ minimum: 1, maximum: MOST_UNFINISHED }), 5),
      'Maximum number of unfinished runs at the same time.',
    ),
  }),
  rangeFault,
);
export type BackfillCreate = Static<typeof BackfillCreate>;

export const BackfillPlan = Shape('BackfillPlan', { count: Type.Integer(), dates: Type.Array(DateTime()) }, 'ignore');

export const Backfill = Shape(
  'Backfill',
  {
    ...stamps,
    deployment_id: Uuid(),
    deployment_name: Type.String(),
    name: Type.String(),
    status: BackfillStatus,
    schedule: ScheduleOutput,
    start_time: DateTime(),
    end_time: DateTime(),
    parameters: JsonObject(),
    date_parameter: Nullable(Type.String()),
    max_unfinished: Type.Integer(),
    total: Type.Integer(),
    /** Number of dates without a run yet. */
    waiting: Type.Integer(),
    unfinished: Type.Integer(),
    completed: Type.Integer(),
    /** Number of failed or crashed runs. */
    failed: Type.Integer(),
    cancelled: Type.Integer(),
    /** Number of runs that were deleted since. */
    deleted: Type.Integer(),
    problem: Nullable(Type.String()),
    ended: Nullable(DateTime()),
  },
  'ignore',
);

export const BackfillDate = Shape(
  'BackfillDate',
  {
    date: DateTime(),
    /** Null until the run is created. */
    flow_run_id: Nullable(Uuid()),
    flow_run_name: Nullable(Type.String()),
    state_type: Nullable(Type.String()),
    state_name: Nullable(Type.String()),
  },
  'ignore',
);

export const backfillBodies = {
  filter: Parts({ deployment_id: Maybe(Uuid()), offset, limit }, 'Body_read_backfills'),
};

export const datesQuery = Type.Object({
  offset: withDefault(Type.Integer({ minimum: 0 }), 0),
  limit: Type.Optional(Type.Integer()),
});
