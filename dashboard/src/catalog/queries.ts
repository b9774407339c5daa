/** Queries and changes of the catalog. Changes throw Problem when the server refuses them. */
import { queryOptions } from '@tanstack/react-query';
import { answered, platform } from '../api/client.ts';
import { listQuery, PAGE_SIZE } from '../api/list.ts';
import type { components } from '../api/platform.gen.ts';

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

export function catalogQuery(org: string, { name, kind }: Filters) {
  return {
    ...listQuery<CatalogEntry>(['catalog', org, name, kind], (cursor, signal) =>
      answered(
        platform.GET('/organizations/{org}/catalog', {
          signal,
          params: {
            path: { org },
            query: {
              limit: PAGE_SIZE,
              ...(name === undefined ? {} : { name }),
              ...(kind === undefined ? {} : { kind }),
              ...(cursor === undefined ? {} : { cursor }),
            },
          },
        }),
      ),
    ),
    refetchInterval: ANSWER_MILLISECONDS,
  };
}

export function entryQuery(org: string, server: string) {
  return queryOptions({
    queryKey: ['catalog-server', org, server],
    refetchInterval: ANSWER_MILLISECONDS,
    queryFn: ({ signal }) =>
      answered(platform.GET('/organizations/{org}/catalog/{server}', { signal, params: { path: { org, server } } })),
  });
}

interface RequestFilters {
  /** True for the caller's own requests; false for those that the caller may decide. */
  readonly own: boolean;
  readonly state?: AccessRequest['state'] | undefined;
  /** Limits the list to one server. */
  readonly server?: string | undefined;
}

export function requestsQuery(org: string, { own, state, server }: RequestFilters) {
  return {
    ...listQuery<AccessRequest>(['access-requests', org, own, state, server], (cursor, signal) =>
      answered(
        platform.GET('/organizations/{org}/access-requests', {
          signal,
          params: {
            path: { org },
            query: {
              limit: PAGE_SIZE,
              own,
              ...(state === undefined ? {} : { state }),
              ...(server === undefined ? {} : { server }),
              ...(cursor === undefined ? {} : { cursor }),
            },
          },
        }),
      ),
    ),
    meta: { watches: ['access_request'] },
    refetchInterval: ANSWER_MILLISECONDS,
  };
}

/** The keys of queries that a request for access changes. */
export const REQUEST_KEYS = ['catalog', 'catalog-server', 'access-requests', 'server-grants'];

const one = '/organizations/{org}/access-requests/{id}';

export async function requestAccess(org: string, server: string, reason: string): Promise<void> {
  const path = '/organizations/{org}/servers/{server}/access-requests';
  await answered(platform.POST(path, { params: { path: { org, server } }, body: { reason } }));
}

export async function approveAccess(org: string, id: string, role: Role): Promise<void> {
  await answered(platform.POST(`${one}/approve`, { params: { path: { org, id } }, body: { role } }));
}

export async function refuseAccess(org: string, id: string, reason: string): Promise<void> {
  await answered(platform.POST(`${one}/refuse`, { params: { path: { org, id } }, body: { reason } }));
}

export async function withdrawRequest(org: string, id: string): Promise<void> {
  await answered(platform.DELETE(one, { params: { path: { org, id } } }));
}
