import { Maybe, prepare, refine, Shape, type Static, Type } from '../../../schema/kinds.ts';
import { withOldNames } from './retry-policy.ts';
import { retryCounts } from './run-schema.ts';

const MAX_RETRY_DELAYS = 50;

const RetryDelay = refine(
  Type.Union([Type.Integer(), Type.Number(), Type.Array(Type.Integer()), Type.Array(Type.Number())]),
  (delay) =>
    Array.isArray(delay) && delay.length > MAX_RETRY_DELAYS
      ? `Can not configure more than ${MAX_RETRY_DELAYS} retry delays per task.`
      : undefined,
);

const RetryJitterFactor = refine(Type.Number(), (factor) =>
  factor < 0 ? '`retry_jitter_factor` must be >= 0.' : undefined,
);

/** Pass it through `normalisePolicy` after decoding. Delays are in seconds; a list has one for each retry. */
export const TaskRunPolicy = prepare(
  Shape(
    'TaskRunPolicy',
    {
      ...retryCounts,
      retry_delay: Maybe(RetryDelay),
      retry_jitter_factor: Maybe(RetryJitterFactor),
    },
    'ignore',
  ),
  withOldNames,
);
export type TaskRunPolicy = Static<typeof TaskRunPolicy>;
