/** Bulk work in words: its name, its progress and its outcome. */
import { titleOf } from '../../design/states.ts';
import type { BulkAction, BulkWork } from './work.ts';

const words: Readonly<Record<BulkAction, { readonly noun: string; readonly doing: string; readonly done: string }>> = {
  retry: { noun: 'Retry', doing: 'Retrying', done: 'retried' },
  cancel: { noun: 'Cancellation', doing: 'Cancelling', done: 'cancelled' },
  delete: { noun: 'Deletion', doing: 'Deleting', done: 'deleted' },
  set_state: { noun: 'State change', doing: 'Changing', done: 'changed' },
};

export function countOfRuns(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'run' : 'runs'}`;
}

/** For example, `Retry of 214 runs`. */
export function workTitle({ action, total, state_type, state_name }: BulkWork): string {
  const to = state_type ? ` to ${state_name ?? titleOf(state_type)}` : '';
  return `${words[action].noun} of ${countOfRuns(total)}${to}`;
}

/** For example, `Retry of 214 runs scheduled`. */
export function workScheduled(work: BulkWork): string {
  return `${work.total === 1 ? words[work.action].noun : workTitle(work)} scheduled`;
}

/** For example, `Retrying 214 runs`. */
export function workUnderWay({ action, total }: BulkWork): string {
  return `${words[action].doing} ${countOfRuns(total)}`;
}

/** Says what has become of the work. */
export function workOutcome(work: BulkWork): string {
  const { action, status, total, done, skipped, failed, failures, problem } = work;
  const { done: verb } = words[action];
  if (status === 'CANCELLED' && done === 0) return 'Undone: nothing was changed';
  if (status === 'CANCELLED') return `Stopped: ${done.toLocaleString('en')} of ${countOfRuns(total)} ${verb}`;
  if (status === 'FAILED') return `Stopped after ${done.toLocaleString('en')} of ${countOfRuns(total)}: ${problem}`;
  if (total === 0) return 'These runs no longer exist';
  if (total === 1 && failed === 1) return `Not ${verb}: ${failures[0]?.reason}`;
  if (total === 1 && skipped === 1) return `Not ${verb}: the run had changed, or was gone`;
  return [
    `${countOfRuns(done)} ${verb}`,
    ...(skipped > 0 ? [`${skipped.toLocaleString('en')} left as they were`] : []),
    ...(failed > 0 ? [`${failed.toLocaleString('en')} refused`] : []),
  ].join(', ');
}
