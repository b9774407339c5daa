/** Fields that flow runs and task runs share, in groups that keep the field order of the Prefect server. */
import { DateTime, described, Maybe, Type, withDefault } from '../../../schema/kinds.ts';

export const run_count = described(withDefault(Type.Integer(), 0), 'How often the run has entered Running.');

export const dueTimes = {
  expected_start_time: described(
    Maybe(DateTime()),
    'When the run should start (UTC). It does not change when the run starts late.',
  ),
  next_scheduled_start_time: Maybe(DateTime()),
};

export const runTimes = {
  start_time: Maybe(DateTime()),
  end_time: Maybe(DateTime()),
  total_run_time: described(withDefault(Type.Number(), 0), 'Seconds in Running, without the current period.'),
  estimated_run_time: described(withDefault(Type.Number(), 0), 'Seconds in Running, including the current period.'),
  estimated_start_time_delta: described(
    withDefault(Type.Number(), 0),
    'Seconds from the expected to the actual start, or to now before the start; 0 if on time.',
  ),
};

/** The first fields of a retry policy. `withOldNames` copies the first two to their new names. */
export const retryCounts = {
  max_retries: withDefault(Type.Integer({ deprecated: true }), 0),
  retry_delay_seconds: withDefault(Type.Number({ deprecated: true }), 0),
  retries: Maybe(Type.Integer()),
};
