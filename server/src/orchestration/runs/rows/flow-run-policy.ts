/** The retry and pause settings of a flow run: their shape, and their encoding in its row. */

import { compileEncoder } from '../../../schema/encode.ts';
import {
  Maybe,
  Nullable,
  OneOf,
  prepare,
  refine,
  Shape,
  type Static,
  TextSet,
  Type,
  withDefault,
} from '../../../schema/kinds.ts';
import { type JsonText, parseObject } from '../../../values/json.ts';
import { withOldNames } from './retry-policy.ts';
import { retryCounts } from './run-schema.ts';

/** Pass it through `normalisePolicy` after decoding. Delays are whole seconds. */
export const FlowRunPolicy = refine(
  prepare(
    Shape(
      'FlowRunPolicy',
      {
        ...retryCounts,
        retry_delay: Maybe(Type.Integer()),
        pause_keys: Maybe(TextSet()),
        resuming: withDefault(Nullable(Type.Boolean()), false),
        retry_type: Maybe(OneOf(['in_process', 'reschedule'])),
      },
      'ignore',
    ),
    withOldNames,
  ),
  (policy) =>
    policy.retry_delay || Number.isInteger(policy.retry_delay_seconds)
      ? undefined
      : 'the retry delay of a flow run must be a whole number of seconds',
);
export type FlowRunPolicy = Static<typeof FlowRunPolicy>;

export const defaultFlowRunPolicy: FlowRunPolicy = {
  max_retries: 0,
  retry_delay_seconds: 0,
  retries: null,
  retry_delay: null,
  pause_keys: [],
  resuming: false,
  retry_type: null,
};

const encode = compileEncoder(FlowRunPolicy) as (policy: FlowRunPolicy) => JsonText;

interface Known {
  readonly stored: JsonText;
  readonly policy: FlowRunPolicy;
  readonly encoded: JsonText;
}

/** The policy read last. Nearly all runs have the same policy, and each transition reads and writes it. */
let known: Known | undefined;

/** Returns the same frozen object for the same text. */
export function readFlowRunPolicy(stored: JsonText): FlowRunPolicy {
  if (known?.stored !== stored) {
    const policy = Object.freeze(parseObject(stored)) as unknown as FlowRunPolicy;
    known = { stored, policy, encoded: encode(policy) };
  }
  return known.policy;
}

export function encodeFlowRunPolicy(policy: FlowRunPolicy): JsonText {
  return known?.policy === policy ? known.encoded : encode(policy);
}
