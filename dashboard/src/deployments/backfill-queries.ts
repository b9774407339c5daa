/** Queries and changes of backfills. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
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

export function backfillsQuery(deploymentId: string) {
  return queryOptions({
    queryKey: ['backfills', deploymentId],
    meta: { watches: ['flow_run'] },
    refetchInterval: REFRESH_MILLISECONDS,
    queryFn: ({ signal }) =>
      answered(
        api.POST('/backfills/filter', { body: { deployment_id: deploymentId, limit: MOST_SHOWN, offset: 0 }, signal }),
      ),
  });
}

/** The dates in a range, without creating anything. */
export function planQuery(range: BackfillRange | undefined) {
  return queryOptions({
    queryKey: ['backfill-plan', range],
    enabled: range !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: ({ signal }) => answered(api.POST('/backfills/plan', { body: range as BackfillRange, signal })),
  });
}

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
