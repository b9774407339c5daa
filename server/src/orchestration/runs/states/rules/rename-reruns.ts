import { anyFrom, proceed, type TaskRule } from './rule.ts';

/** A run that runs again says so in its state's name. */
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
