/** Queries and changes of backfills. */
import { keepPreviousData } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import { read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';

export type Backfill = components['schemas']['Backfill'];
export type BackfillRange = components['schemas']['BackfillPlanBody'];

/** The latest backfills; older ones are available through the API. */
const MOST_SHOWN = 50;
const REFRESH_MILLISECONDS = 5000;

const ended = new Set<Backfill['status']>(['COMPLETED', 'CANCELLED']);

export function isEnded({ status }: Backfill): boolean {
  return ended.has(status);
}

export const backfillsQuery = (deploymentId: string) =>
  read.one(
    '/backfills/filter',
    { body: { deployment_id: deploymentId, limit: MOST_SHOWN, offset: 0 } },
    { watches: ['flow_run'], refetchInterval: REFRESH_MILLISECONDS },
  );

/** The dates in a range, without creating anything. */
export const planQuery = (range: BackfillRange | undefined) =>
  read.one(
    '/backfills/plan',
    { body: range as BackfillRange },
    { enabled: range !== undefined, placeholderData: keepPreviousData, retry: false },
  );

export async function createBackfill(body: components['schemas']['BackfillCreate']): Promise<void> {
  await answered(api.POST('/backfills/', { body }));
}

export async function pauseBackfill(id: string): Promise<void> {
  await answered(api.POST('/backfills/{id}/pause', { params: { path: { id } } }));
}

export async function resumeBackfill(id: string): Promise<void> {
  await answered(api.POST('/backfills/{id}/resume', { params: { path: { id } } }));
}

export async function cancelBackfill(id: string): Promise<void> {
  await answered(api.POST('/backfills/{id}/cancel', { params: { path: { id } } }));
}
