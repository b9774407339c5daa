/** Changes of many runs, which the server does in the background. */
import { answered, api } from '../../api/client.ts';
import { read } from '../../api/read.ts';
import type { components } from '../../api/schema.gen.ts';

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
