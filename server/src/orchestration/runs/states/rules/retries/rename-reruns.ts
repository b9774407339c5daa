import { anyFrom, proceed, type TaskRule } from '../rule.ts';

/** Names the state of a task run that runs again: Retrying or Rerunning. */
export const renameReruns: TaskRule = {
  name: 'RenameReruns',
  from: anyFrom,
  to: ['RUNNING'],
  judge({ run, initial, proposed }) {
    if (run.run_count === 0) return proceed;
    return {
      kind: 'amend',
      proposed: { ...proposed, name: initial?.name === 'AwaitingRetry' ? 'Retrying' : 'Rerunning' },
    };
  },
};
