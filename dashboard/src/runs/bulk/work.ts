/** Changes of many runs, which the server does in the background, and how they are told. */
import { answered, api } from '../../api/client.ts';
import { read } from '../../api/read.ts';
import type { components } from '../../api/schema.gen.ts';
import { titleOf } from '../../design/states.ts';

export type BulkWork = components['schemas']['BulkWork'];
export type BulkAction = BulkWork['action'];
/** The filters of a list of runs, as the server takes them. */
export type RunsMatching = components['schemas']['RunsMatching'];

type Asked = Omit<components['schemas']['BulkWorkCreate'], 'delay_seconds' | 'force'> & { readonly force?: boolean };

/** Runs that one request may name. */
export const MOST_NAMED = 10_000;
/** Runs that one work may have. */
export const MOST_MATCHING = 100_000;
export const UNDO_MILLISECONDS = 5_000;
/** The server waits a little longer, so that an Undo in the last moment still arrives in time. */
const DELAY_SECONDS = UNDO_MILLISECONDS / 1000 + 1;
const POLL_MILLISECONDS = 1000;

/** The newest works. Those that have not ended are read again. */
export const bulkWorksQuery = read.one(
  '/bulk_work/',
  {},
  { refetchInterval: ({ state: { data } }) => (data?.every(hasEnded) ? false : POLL_MILLISECONDS) },
);

export const bulkWorkQuery = (id: string) => read.one('/bulk_work/{id}', { params: { path: { id } } });

export function createWork(asked: Asked): Promise<BulkWork> {
  return answered(api.POST('/bulk_work/', { body: { force: false, delay_seconds: DELAY_SECONDS, ...asked } }));
}

/** Leaves the runs that are left as they are. */
export function cancelWork(id: string): Promise<BulkWork> {
  return answered(api.POST('/bulk_work/{id}/cancel', { params: { path: { id } } }));
}

export function hasEnded({ ended }: BulkWork): boolean {
  return ended !== null;
}

const words: Readonly<Record<BulkAction, { readonly noun: string; readonly doing: string; readonly done: string }>> = {
  retry: { noun: 'Retry', doing: 'Retrying', done: 'retried' },
  cancel: { noun: 'Cancellation', doing: 'Cancelling', done: 'cancelled' },
  delete: { noun: 'Deletion', doing: 'Deleting', done: 'deleted' },
  set_state: { noun: 'Change', doing: 'Changing', done: 'changed' },
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

/** What has become of it, as a sentence. */
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
