/** Queries and changes of the inbox. `org` is the id or slug of an organization. */
import { answered, api, platform } from '../api/client.ts';
import { invalidate, platformRead, read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';
import type { Cause, Shelf } from './cause.ts';

const PAGE = 100;

export const causesQuery = (shelf: Shelf) =>
  read.pages(
    '/views/failure_causes',
    (after: components['schemas']['FailureCausePosition'] | null) => ({ body: { shelf, limit: PAGE, after } }),
    { watches: ['failure_cause'], initialPageParam: null, getNextPageParam: ({ next }) => next },
  );

export const serverCausesQuery = (org: string, shelf: Shelf) =>
  platformRead.one(
    '/organizations/{org}/server-failure-causes',
    { params: { path: { org }, query: { shelf } } },
    { watches: ['server_request'] },
  );

export const causeQuery = (id: string) =>
  read.one('/failure_causes/{id}', { params: { path: { id } } }, { watches: [id] });

export const serverCauseQuery = (org: string, id: string) =>
  platformRead.one(
    '/organizations/{org}/server-failure-causes/{id}',
    { params: { path: { org, id } } },
    { watches: ['server_request'] },
  );

const MOST_RUNS = 20;

/** The newest runs behind a cause. */
export const runsOfCauseQuery = (id: string) =>
  read.one(
    '/views/runs',
    { body: { where: [{ field: 'cause', values: [id] }], limit: MOST_RUNS } },
    { watches: ['flow_run'] },
  );

export const inboxQuery = (org: string, seconds: number) =>
  platformRead.one(
    '/organizations/{org}/views/inbox',
    { params: { path: { org }, query: { seconds } } },
    { watches: ['server_request', 'access_request', 'mcp_server'] },
  );

/** Null ends the muting, or the ownership. */
export interface CauseChange {
  readonly resolved?: boolean;
  readonly mutedUntil?: string | null;
  readonly mutedFor?: number;
  readonly ownerId?: string | null;
}

export async function changeCause({ id, org }: Cause, change: CauseChange): Promise<void> {
  if (org !== undefined) {
    const path = { org, id };
    await answered(
      platform.PATCH('/organizations/{org}/server-failure-causes/{id}', { params: { path }, body: change }),
    );
  } else {
    const { resolved, mutedUntil, mutedFor, ownerId } = change;
    const body = {
      ...(resolved !== undefined && { resolved }),
      ...(mutedUntil !== undefined && { muted_until: mutedUntil }),
      ...(mutedFor !== undefined && { muted_for: mutedFor }),
      ...(ownerId !== undefined && { owner_id: ownerId }),
    };
    await answered(api.PATCH('/failure_causes/{id}', { params: { path: { id } }, body }));
  }
  await invalidate(
    '/views/home',
    '/views/failure_causes',
    '/failure_causes/{id}',
    '/organizations/{org}/views/inbox',
    '/organizations/{org}/server-failure-causes',
    '/organizations/{org}/server-failure-causes/{id}',
  );
}

const MOST_OFFERED = 50;

/** People who can own a cause. The server checks that the one who is chosen has a role. */
export const ownersQuery = (org: string) =>
  platformRead.one('/organizations/{org}/members', { params: { path: { org }, query: { limit: MOST_OFFERED } } });
