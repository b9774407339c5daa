/** Creates the runs of a deployment's schedules before they are due. */
import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { lastMoment, momentOf, pythonText, scheduleDates } from '../../schedules/schedule-dates.ts';
import { WorkBudget } from '../../schedules/work-budget.ts';
import { newTimeOrderedId } from '../../values/id.ts';
import { type JsonText, jsonTextOf, parseJson, parseObject } from '../../values/json.ts';
import { addSeconds, microsecondsOf, type Timestamp, timestampFromMicroseconds } from '../../values/time.ts';
import { runLabels } from '../runs/flow-runs/create.ts';
import { defaultFlowRunPolicy, encodeFlowRunPolicy } from '../runs/rows/flow-run-policy.ts';
import { randomRunName } from '../runs/rows/random-name.ts';
import { noDetails } from '../runs/rows/state.ts';
import { detailsText } from '../runs/rows/stored-state.ts';
import { scheduledParameters } from './parameter-checks.ts';
import type { Deployment } from './queries.ts';
import type { ScheduleRow } from './schedules/queries.ts';
import { insertScheduledRuns } from './schedules/scheduled-run-queries.ts';

/** Bounds for runs ahead of time: they are created until both minima are reached, but never beyond a maximum. */
interface HowFarAhead {
  readonly start: Timestamp;
  /** No run is due after it. */
  readonly end: Timestamp;
  /** The last run is due at or after it. */
  readonly until: Timestamp;
  readonly minRuns: number;
  readonly maxRuns: number;
}

/** Steps for computing the dates of one schedule at a time: some tens of milliseconds. */
const MAX_STEPS = 50_000;

interface Ahead {
  readonly dates: readonly Temporal.ZonedDateTime[];
  /** True if both minima are met, or if the maximum of runs is reached. */
  readonly isFull: boolean;
}

/**
 * Creates the missing runs of the active schedules. Returns the earliest time at which one needs more; undefined when
 * none is active. A schedule that cannot be computed is logged and gets no runs; the others do.
 */
export async function makeScheduledRuns(
  context: Context,
  tx: Tx,
  deployment: Deployment,
  schedules: readonly ScheduleRow[],
  bounds: HowFarAhead,
): Promise<Timestamp | undefined> {
  let refill: Timestamp | undefined;
  for (const schedule of schedules.filter(({ active }) => active)) {
    const ahead = datesAhead(context, schedule, bounds);
    const parameters = await scheduledParameters(context, tx, deployment, schedule);
    const common = commonOf(context, deployment, schedule, parameters);
    await insertScheduledRuns(tx, common, ahead.dates.map(runOf(schedule)));
    const next = refillTime(context, ahead, bounds);
    if (refill === undefined || next < refill) refill = next;
  }
  return refill;
}

function datesAhead(context: Context, schedule: ScheduleRow, bounds: HowFarAhead): Ahead {
  const dates: Temporal.ZonedDateTime[] = [];
  try {
    for (const date of scheduleDates(schedule.schedule, bounds.start, bounds.end, new WorkBudget(MAX_STEPS))) {
      dates.push(date);
      if (dates.length >= bounds.maxRuns) return { dates, isFull: true };
      if (dates.length >= bounds.minRuns && momentOf(date) >= bounds.until) return { dates, isFull: true };
    }
  } catch (error) {
    // The schedule may come from other software: an unreadable one must not prevent the runs of the others.
    const { id, deployment_id } = schedule;
    context.server.logger.warn({ err: error, schedule: id, deployment: deployment_id }, 'a schedule makes no runs');
  }
  return { dates, isFull: false };
}

/** Seconds after which a schedule with too few or no dates is tried again. A change of it is processed at once. */
export const LOOK_AGAIN_SECONDS = 3600;
/** The shortest time between two checks of a deployment, in seconds, unless half of its runs are due earlier. */
const LEAST_WAIT_SECONDS = 30;

/**
 * The time at which fewer runs are ahead than wanted: too few are left, or they end too soon. If the maximum was
 * reached first, the time at which half of them are due.
 */
function refillTime({ now }: Context, { dates, isFull }: Ahead, bounds: HowFarAhead): Timestamp {
  const last = dates.at(-1);
  if (!isFull || !last) return addSeconds(now, LOOK_AGAIN_SECONDS);
  const lead = microsecondsOf(bounds.until) - microsecondsOf(bounds.start);
  const tooSoon = microsecondsOf(momentOf(last)) - lead;
  const isCut = momentOf(last) < bounds.until;
  const place = isCut ? dates.length / 2 : dates.length - bounds.minRuns;
  const tooFew = microsecondsOf(momentOf(dates[Math.max(0, Math.floor(place))] ?? last));
  const wanted = isCut ? tooFew : Math.min(tooFew, tooSoon);
  const asked = microsecondsOf(now);
  const halfway = Math.floor((asked + microsecondsOf(momentOf(last))) / 2);
  return timestampFromMicroseconds(Math.max(wanted, Math.min(asked + LEAST_WAIT_SECONDS * 1_000_000, halfway)));
}

function commonOf(context: Context, deployment: Deployment, schedule: ScheduleRow, parameters: JsonText) {
  const { id, flow_id, labels } = deployment;
  return {
    now: context.now,
    flow_id,
    deployment_id: id,
    deployment_version: deployment.version,
    work_queue_id: deployment.queue_id,
    work_queue_name: deployment.work_queue_name,
    parameters,
    empirical_policy: encodeFlowRunPolicy(defaultFlowRunPolicy),
    tags: jsonTextOf([...new Set(['auto-scheduled', ...(parseJson(deployment.tags) as string[])])]),
    labels: runLabels({ id: flow_id, labels }, null, { 'prefect.deployment.id': id }),
    infrastructure_document_id: deployment.infrastructure_document_id,
    created_by: jsonTextOf({ id: schedule.id, type: 'SCHEDULE', display_value: schedule.slug || kindOf(schedule) }),
  };
}

/** The reference's name of the schedule's kind. */
function kindOf({ schedule }: ScheduleRow): string {
  const fields = parseObject(schedule);
  if ('interval' in fields) return 'IntervalSchedule';
  return 'cron' in fields ? 'CronSchedule' : 'RRuleSchedule';
}

function runOf({ id: scheduleId, deployment_id }: ScheduleRow) {
  return (date: Temporal.ZonedDateTime) => {
    const due = momentOf(date);
    return {
      id: newTimeOrderedId(),
      name: randomRunName(),
      state_id: newTimeOrderedId(),
      due,
      idempotency_key: `scheduled ${deployment_id} ${scheduleId} ${pythonText(date)}`,
      state_details: detailsText({ ...noDetails, scheduled_time: due }),
    };
  };
}

/** `seconds` later, or the end of the calendar. */
export function laterBy(start: Timestamp, seconds: number): Timestamp {
  const microseconds = microsecondsOf(start) + Math.round(seconds * 1_000_000);
  return microseconds < microsecondsOf(lastMoment) ? timestampFromMicroseconds(microseconds) : lastMoment;
}
