/** The old names of the retry settings of a run. */

import type { Preparation } from '../../../schema/kinds.ts';
import { isJsonObject } from '../../../values/json.ts';
import { isNothing as isFalsyInput } from '../../filters/field-schema.ts';

interface Policy {
  max_retries: number;
  retry_delay_seconds: number;
  retries?: number | null;
  retry_delay?: number | number[] | null;
}

const isFalsy = (input: unknown) => input === undefined || input === null || isFalsyInput(input);

const standIns = { retries: 'max_retries', retry_delay: 'retry_delay_seconds' } as const;

/**
 * An empty text, list or object under a new name counts as absent when the old name has a value, which replaces it.
 * Otherwise validation refuses the empty value. Source: measured on the Prefect server 3.9.1.
 */
export const withOldNames: Preparation = (input) => {
  if (!isJsonObject(input)) return { value: input };
  const replaced = Object.entries(standIns).filter(
    ([name, old]) => Object.hasOwn(input, name) && input[name] !== null && isFalsy(input[name]) && !isFalsy(input[old]),
  );
  if (replaced.length === 0) return { value: input };
  return { value: { ...input, ...Object.fromEntries(replaced.map(([name, old]) => [name, input[old]])) } };
};

/**
 * `max_retries` and `retry_delay_seconds` replace `retries` and `retry_delay` when those are absent, null, 0 or an
 * empty list. Call it on every decoded policy, of flow runs and of task runs.
 * Source: `POST /flow_runs/` and `POST /task_runs/` of the Prefect server 3.9.1.
 */
export function normalisePolicy<Given extends Policy>(policy: Given): Given {
  return {
    ...policy,
    retries: policy.retries || policy.max_retries || policy.retries,
    retry_delay: isNothing(policy.retry_delay) ? policy.retry_delay_seconds || policy.retry_delay : policy.retry_delay,
  };
}

function isNothing(delay: number | number[] | null | undefined): boolean {
  return !delay || (Array.isArray(delay) && delay.length === 0);
}
