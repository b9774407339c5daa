/** Queries and changes of the catalog. Changes throw Problem when the server refuses them. */
import { answered, platform } from '../api/client.ts';
import type { components } from '../api/platform.gen.ts';
import { invalidate, platformRead as read } from '../api/read.ts';

type Schemas = components['schemas'];
export type CatalogEntry = Schemas['CatalogEntry'];
export type CatalogServer = Schemas['CatalogServer'];
export type AccessRequest = Schemas['AccessRequest'];
export type Kind = Schemas['ServerKind'];
export type Role = Schemas['Role'];

export const kinds: readonly (readonly [Kind, string])[] = [
  ['external', 'external'],
  ['hosted', 'hosted'],
  ['remix', 'remix'],
  ['builtin', 'built in'],
];

export function isKind(value: unknown): value is Kind {
  return kinds.some(([kind]) => kind === value);
}

export function kindName(kind: Kind): string {
  return kinds.find(([one]) => one === kind)?.[1] ?? kind;
}

/** Interval of reading decisions of others, because the stream only reports to editors of a server. */
const ANSWER_MILLISECONDS = 15_000;

interface Filters {
  readonly name?: string | undefined;
  readonly kind?: Kind | undefined;
}

export const catalogQuery = (org: string, { name, kind }: Filters) =>
  read.list(
    '/organizations/{org}/catalog',
    { params: { path: { org }, query: { name, kind } } },
    { refetchInterval: ANSWER_MILLISECONDS },
  );

export const entryQuery = (org: string, server: string) =>
  read.one(
    '/organizations/{org}/catalog/{server}',
    { params: { path: { org, server } } },
    { refetchInterval: ANSWER_MILLISECONDS },
  );

interface RequestFilters {
  /** True for the caller's own requests; false for those that the caller may decide. */
  readonly own: boolean;
  readonly state?: AccessRequest['state'] | undefined;
  /** Limits the list to one server. */
  readonly server?: string | undefined;
}

export const requestsQuery = (org: string, { own, state, server }: RequestFilters) =>
  read.list(
    '/organizations/{org}/access-requests',
    { params: { path: { org }, query: { own, state, server } } },
    { watches: ['access_request'], refetchInterval: ANSWER_MILLISECONDS },
  );

/** Asks again what a request for access changes. */
export const rereadRequests = () =>
  invalidate(
    '/organizations/{org}/catalog/*',
    '/organizations/{org}/access-requests',
    '/organizations/{org}/servers/{server}/grants',
  );

const one = '/organizations/{org}/access-requests/{id}';

export async function requestAccess(org: string, server: string, reason: string): Promise<void> {
  const path = '/organizations/{org}/servers/{server}/access-requests';
  await answered(platform.POST(path, { params: { path: { org, server } }, body: { reason } }));
}

export const approveAccess = (org: string, id: string, role: Role) =>
  answered(platform.POST(`${one}/approve`, { params: { path: { org, id } }, body: { role } }));

export const refuseAccess = (org: string, id: string, reason: string) =>
  answered(platform.POST(`${one}/refuse`, { params: { path: { org, id } }, body: { reason } }));

export const withdrawRequest = (org: string, id: string) =>
  answered(platform.DELETE(one, { params: { path: { org, id } } }));
