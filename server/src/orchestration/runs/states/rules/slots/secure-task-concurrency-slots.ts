import { anyFrom, proceed, type TaskRule } from '../rule.ts';

/** A task run with limited tags needs a slot of each limit to run. Shown by limits/task-limits/task-limits.test.ts. */
export const secureTaskConcurrencySlots: TaskRule = {
  name: 'SecureTaskConcurrencySlots',
  from: anyFrom,
  to: ['RUNNING'],
  async judge({ run }) {
    const outcome = await run.slots.take();
    switch (outcome.kind) {
      case 'taken':
        return proceed;
      case 'never':
        return {
          kind: 'abort',
          reason: `The concurrency limit on tag "${outcome.tag}" is 0 and will deadlock if the task tries to run again.`,
        };
      case 'full':
        return {
          kind: 'wait',
          delaySeconds: outcome.delaySeconds,
          reason: `Concurrency limit reached for tags: ${outcome.tags.join(', ')}`,
        };
    }
  },
};
