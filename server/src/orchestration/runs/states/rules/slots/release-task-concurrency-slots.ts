import { anyFrom, anyTo, proceed, type TaskRule } from '../rule.ts';

/** A task run that stops running releases its tag slots. Shown by limits/task-limits/task-limits.test.ts. */
export const releaseTaskConcurrencySlots: TaskRule = {
  name: 'ReleaseTaskConcurrencySlots',
  from: anyFrom,
  to: anyTo,
  everyTransition: true,
  async judge({ proposed, run }) {
    if (proposed.type !== 'RUNNING' && proposed.type !== 'CANCELLING') await run.slots.release();
    return proceed;
  },
};
