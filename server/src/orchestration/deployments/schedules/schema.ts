import { cronFault } from '../../../schedules/cron.ts';
import { recurrenceFault } from '../../../schedules/recurrence.ts';
import { timeZoneFault } from '../../../schedules/time-zone.ts';
import {
  branch,
  Duration,
  described,
  givenFieldsOnly,
  JsonObject,
  Maybe,
  Nullable,
  OffsetDateTime,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { stamps } from '../../filters/field-schema.ts';

const Interval = refine(Duration({ exclusiveMinimum: 0 }, { type: 'string' }), (seconds) =>
  seconds > 0 ? undefined : 'interval must be positive',
);

/** An absent or null `anchor_date` means now, and `timezone` UTC. */
const series = { anchor_date: Type.Optional(OffsetDateTime()), timezone: Maybe(Type.String()) };

/** Both check the time zone after their fields, and issues contain the name of the check instead of theirs. */
const zoned = (name: string) => `function-after[validate_timezone(), ${name}]`;
const zoneFault = ({ timezone }: { timezone?: string | null }) => timeZoneFault(timezone);

export const IntervalScheduleInput = branch(
  zoned('IntervalSchedule'),
  refine(Shape('IntervalSchedule-Input', { interval: Interval, ...series }), zoneFault),
);
export type IntervalScheduleInput = Static<typeof IntervalScheduleInput>;

/** `interval` is in seconds. */
export const IntervalScheduleOutput = Shape('IntervalSchedule-Output', { interval: Type.Number(), ...series });
export type IntervalScheduleOutput = Static<typeof IntervalScheduleOutput>;

export const CronSchedule = branch(
  zoned('CronSchedule'),
  refine(
    Shape('CronSchedule', {
      cron: refine(Type.String(), cronFault),
      timezone: Maybe(Type.String()),
      /** If true, a day that fits one of day-of-month and day-of-week is enough when both are restricted. */
      day_or: withDefault(Type.Boolean(), true),
    }),
    zoneFault,
  ),
);
export type CronSchedule = Static<typeof CronSchedule>;

const RuleZone = refine(Type.String(), (name) =>
  name === '' ? 'The timezone must not be empty' : timeZoneFault(name),
);

export const RRuleSchedule = Shape('RRuleSchedule', {
  rrule: refine(Type.String(), recurrenceFault),
  timezone: withDefault(Nullable(RuleZone), 'UTC'),
});
export type RRuleSchedule = Static<typeof RRuleSchedule>;

export const ScheduleInput = Type.Union([IntervalScheduleInput, CronSchedule, RRuleSchedule]);
export type ScheduleInput = Static<typeof ScheduleInput>;

export const ScheduleOutput = Type.Union([IntervalScheduleOutput, CronSchedule, RRuleSchedule]);
export type ScheduleOutput = Static<typeof ScheduleOutput>;

const ScheduledRuns = Type.Integer({ exclusiveMinimum: 0 });
const MAX_SCHEDULED_RUNS = 50;

/** Stored; the scheduler does not use it. */
const GivenScheduledRuns = refine(ScheduledRuns, (runs) =>
  runs > MAX_SCHEDULED_RUNS ? `\`max_scheduled_runs\` must be less than or equal to ${MAX_SCHEDULED_RUNS}.` : undefined,
);

export const DeploymentSchedule = Shape(
  'DeploymentSchedule',
  {
    ...stamps,
    deployment_id: Maybe(Uuid()),
    schedule: ScheduleOutput,
    active: withDefault(Type.Boolean(), true),
    max_scheduled_runs: described(Maybe(ScheduledRuns), 'Maximum number of future runs of the schedule.'),
    parameters: Type.Optional(JsonObject()),
    slug: Maybe(Type.String()),
  },
  'ignore',
);
export type DeploymentSchedule = Static<typeof DeploymentSchedule>;

const rest = {
  max_scheduled_runs: described(Maybe(GivenScheduledRuns), 'Maximum number of future runs of the schedule.'),
  parameters: Type.Optional(JsonObject()),
  slug: Maybe(Type.String()),
  /** The slug that the new one replaces. */
  replaces: Maybe(Type.String()),
};

export const DeploymentScheduleCreate = Shape('DeploymentScheduleCreate', {
  active: withDefault(Type.Boolean(), true),
  schedule: ScheduleInput,
  ...rest,
});
export type DeploymentScheduleCreate = Static<typeof DeploymentScheduleCreate>;

export const DeploymentScheduleUpdate = givenFieldsOnly(
  Shape('DeploymentScheduleUpdate', { active: Maybe(Type.Boolean()), schedule: Maybe(ScheduleInput), ...rest }),
);
export type DeploymentScheduleUpdate = Static<typeof DeploymentScheduleUpdate>;
