import { anyFrom, anyTo, proceed, type TaskRule } from './rule.ts';

/** A task run that no longer runs gives back the slots of its tags. Source: reference behaviour, task-run rule 11. */
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
