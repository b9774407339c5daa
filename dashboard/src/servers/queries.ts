/**
 * Queries of the pages of MCP servers. The stream reports the changes of the replica that serves the page; those of
 * others are found by reading at intervals.
 */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, platform } from '../api/client.ts';
import type { components } from '../api/platform.gen.ts';

type Schemas = components['schemas'];
export type CatalogItem = Schemas['CatalogItem'];
export type ServerView = Schemas['ServerView'];
export type Server = Schemas['Server'];
export type ServerClient = Schemas['ServerClient'];
export type Capabilities = Schemas['Capabilities'];
export type Figures = Schemas['RequestFigures'];
export type ServerRequest = Schemas['ServerRequest'];
export type PolicyRule = Schemas['PolicyRuleWrite'];
export type PolicyPreview = Schemas['PolicyPreview'];
export type Grant = Schemas['Grant'];
export type ConnectedAccount = Schemas['ConnectedAccount'];
export type Role = Schemas['Role'];

const PAGE_SIZE = 100;
/** The largest page of a list. */
const WHOLE_PAGE = 200;
const FIGURES_MILLISECONDS = 15_000;
/** Interval of reading while a hosted server is about to change. */
const UNSETTLED_MILLISECONDS = 2000;

export interface ServerPath {
  /** Slug of the organization. */
  readonly org: string;
  /** Id or slug. */
  readonly server: string;
}

export function catalogQuery(org: string) {
  return infiniteQueryOptions({
    queryKey: ['servers', org],
    refetchInterval: FIGURES_MILLISECONDS,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      answered(
        platform.GET('/organizations/{org}/views/servers', {
          signal,
          params: {
            path: { org },
            query: { limit: PAGE_SIZE, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
          },
        }),
      ),
    getNextPageParam: ({ meta }) => meta.nextCursor ?? undefined,
  });
}

/** The offers in the text of a file; an empty text is not sent. */
export function importPreviewQuery(org: string, serverJson: string) {
  return queryOptions({
    queryKey: ['server-import', org, serverJson],
    enabled: serverJson !== '',
    retry: false,
    gcTime: 0,
    queryFn: ({ signal }) =>
      answered(
        platform.POST('/organizations/{org}/server-import-preview', {
          signal,
          params: { path: { org } },
          body: { serverJson },
        }),
      ),
  });
}

export function serverQuery(path: ServerPath) {
  return queryOptions({
    queryKey: ['server', path.org, path.server],
    queryFn: ({ signal }) =>
      answered(platform.GET('/organizations/{org}/views/servers/{server}', { signal, params: { path } })),
    meta: { watches: ['mcp_server', 'server_build'] },
    refetchInterval: ({ state }) =>
      state.data && isUnsettled(state.data) ? UNSETTLED_MILLISECONDS : FIGURES_MILLISECONDS,
  });
}

function isUnsettled({ process, live, latestBuild, server }: ServerView): boolean {
  if (!process) return false;
  const isBuilding = latestBuild?.state === 'queued' || latestBuild?.state === 'building';
  return (
    isBuilding || process.state === 'starting' || (live !== null && !server.manifestReadAt && !server.manifestError)
  );
}

export type ServerAccount = Schemas['ServerAccount'];

/** The caller's account at a server where people have accounts of their own. */
export function accountQuery(path: ServerPath) {
  return queryOptions({
    queryKey: ['server-account', path.org, path.server],
    queryFn: ({ signal }) =>
      answered(platform.GET('/organizations/{org}/servers/{server}/account', { signal, params: { path } })),
  });
}

export type ToolApprovals = Schemas['ToolApprovals'];

/** The tools and whether they equal their approved form. */
export function approvalsQuery(path: ServerPath) {
  return queryOptions({
    queryKey: ['server-approvals', path.org, path.server],
    queryFn: ({ signal }) =>
      answered(platform.GET('/organizations/{org}/servers/{server}/tool-approvals', { signal, params: { path } })),
  });
}

export type Limits = Schemas['Limits'];

/** The limits for the use of the server by its callers. */
export function limitsQuery(path: ServerPath) {
  return queryOptions({
    queryKey: ['server-limits', path.org, path.server],
    queryFn: ({ signal }) =>
      answered(platform.GET('/organizations/{org}/servers/{server}/limits', { signal, params: { path } })),
  });
}

export function policyQuery(path: ServerPath) {
  return queryOptions({
    queryKey: ['server-policy', path.org, path.server],
    queryFn: ({ signal }) =>
      answered(platform.GET('/organizations/{org}/servers/{server}/policy', { signal, params: { path } })),
  });
}

/** The decisions about all capabilities under rules that may be unsaved. */
export function previewQuery(path: ServerPath, rules: readonly PolicyRule[], actorId: string | null) {
  return queryOptions({
    queryKey: ['server-preview', path.org, path.server, rules, actorId],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      answered(
        platform.POST('/organizations/{org}/servers/{server}/policy/preview', {
          signal,
          params: { path },
          body: { rules: [...rules], actorId },
        }),
      ),
  });
}

export function grantsQuery(path: ServerPath) {
  return queryOptions({
    queryKey: ['server-grants', path.org, path.server],
    queryFn: ({ signal }) =>
      answered(
        platform.GET('/organizations/{org}/servers/{server}/grants', {
          signal,
          params: { path, query: { limit: WHOLE_PAGE } },
        }),
      ),
  });
}

/** The accounts that people have connected. */
export function connectedAccountsQuery(path: ServerPath) {
  return queryOptions({
    queryKey: ['server-accounts', path.org, path.server],
    queryFn: ({ signal }) =>
      answered(
        platform.GET('/organizations/{org}/servers/{server}/accounts', {
          signal,
          params: { path, query: { limit: WHOLE_PAGE } },
        }),
      ),
  });
}

export interface ActorChoice {
  readonly id: string;
  readonly name: string;
  readonly kind: 'person' | 'service account';
}

/** Members, and service accounts for those who may list them. */
export function actorsQuery(org: string, isAdministrator: boolean) {
  return queryOptions({
    queryKey: ['organization-actors', org, isAdministrator],
    queryFn: async ({ signal }): Promise<readonly ActorChoice[]> => {
      const params = { path: { org }, query: { limit: WHOLE_PAGE } };
      const [members, accounts] = await Promise.all([
        answered(platform.GET('/organizations/{org}/members', { signal, params })),
        isAdministrator
          ? answered(platform.GET('/organizations/{org}/service-accounts', { signal, params }))
          : { items: [] },
      ]);
      return [
        ...members.items.map(({ id, email }) => ({ id, name: email, kind: 'person' as const })),
        ...accounts.items.map(({ id, name }) => ({ id, name, kind: 'service account' as const })),
      ];
    },
  });
}

export function sessionsQuery(path: ServerPath) {
  return infiniteQueryOptions({
    queryKey: ['server-sessions', path.org, path.server],
    refetchInterval: FIGURES_MILLISECONDS,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      answered(
        platform.GET('/organizations/{org}/servers/{server}/sessions', {
          signal,
          params: { path, query: { limit: PAGE_SIZE, ...(pageParam === undefined ? {} : { cursor: pageParam }) } },
        }),
      ),
    getNextPageParam: ({ meta }) => meta.nextCursor ?? undefined,
  });
}

export type ServerSession = Schemas['ServerSession'];

/** The capabilities of a remix with choices that may be unsaved, and their conflicts. */
export function remixPreviewQuery({ org, server }: ServerPath, remix: Schemas['RemixWrite']) {
  return queryOptions({
    queryKey: ['remix-preview', org, server, remix],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      answered(
        platform.POST('/organizations/{org}/remix-preview', {
          signal,
          params: { path: { org } },
          body: { remix, server },
        }),
      ),
  });
}
