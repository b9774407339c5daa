/**
 * Queries of the pages of MCP servers. The stream reports the changes of the replica that serves the page; those of
 * others are found by reading at intervals.
 */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, platform } from '../api/client.ts';
import type { components } from '../api/platform.gen.ts';
import { platformRead as read } from '../api/read.ts';

type Schemas = components['schemas'];
export type CatalogItem = Schemas['CatalogItem'];
export type ServerView = Schemas['ServerView'];
export type Server = Schemas['Server'];
export type Capabilities = Schemas['Capabilities'];
export type Figures = Schemas['RequestFigures'];
export type ServerRequest = Schemas['ServerRequest'];
export type PolicyRule = Schemas['PolicyRuleWrite'];
export type PolicyPreview = Schemas['PolicyPreview'];
export type Grant = Schemas['Grant'];
export type ConnectedAccount = Schemas['ConnectedAccount'];
export type Role = Schemas['Role'];

/** The largest page of a list. */
const WHOLE_PAGE = 200;
const FIGURES_MILLISECONDS = 15_000;
/** Interval of reading while a hosted server is about to change. */
const UNSETTLED_MILLISECONDS = 2000;

const one = '/organizations/{org}/servers/{server}';

export interface ServerPath {
  /** Slug of the organization. */
  readonly org: string;
  /** Id or slug. */
  readonly server: string;
}

export const catalogQuery = (org: string) =>
  read.list(
    '/organizations/{org}/views/servers',
    { params: { path: { org } } },
    { refetchInterval: FIGURES_MILLISECONDS },
  );

/** The offers in the text of a file; an empty text is not sent. */
export const importPreviewQuery = (org: string, serverJson: string) =>
  read.one(
    '/organizations/{org}/server-import-preview',
    { params: { path: { org } }, body: { serverJson } },
    { enabled: serverJson !== '', retry: false, gcTime: 0 },
  );

export const serverQuery = (path: ServerPath) =>
  read.one(
    '/organizations/{org}/views/servers/{server}',
    { params: { path } },
    {
      watches: ['mcp_server', 'server_build'],
      refetchInterval: ({ state }) =>
        state.data && isUnsettled(state.data) ? UNSETTLED_MILLISECONDS : FIGURES_MILLISECONDS,
    },
  );

function isUnsettled({ process, live, latestBuild, server }: ServerView): boolean {
  if (!process) return false;
  const isBuilding = latestBuild?.state === 'queued' || latestBuild?.state === 'building';
  return (
    isBuilding || process.state === 'starting' || (live !== null && !server.manifestReadAt && !server.manifestError)
  );
}

export type ServerAccount = Schemas['ServerAccount'];

/** The caller's account at a server where people have accounts of their own. */
export const accountQuery = (path: ServerPath) => read.one(`${one}/account`, { params: { path } });

export type ToolApprovals = Schemas['ToolApprovals'];

/** The tools and whether they equal their approved form. */
export const approvalsQuery = (path: ServerPath) => read.one(`${one}/tool-approvals`, { params: { path } });

export type Limits = Schemas['Limits'];

/** The limits for the use of the server by its callers. */
export const limitsQuery = (path: ServerPath) => read.one(`${one}/limits`, { params: { path } });

export const policyQuery = (path: ServerPath) => read.one(`${one}/policy`, { params: { path } });

/** The decisions about all capabilities under rules that may be unsaved. */
export const previewQuery = (path: ServerPath, rules: readonly PolicyRule[], actorId: string | null) =>
  read.one(
    `${one}/policy/preview`,
    { params: { path }, body: { rules: [...rules], actorId } },
    { placeholderData: keepPreviousData },
  );

export const grantsQuery = (path: ServerPath) =>
  read.one(`${one}/grants`, { params: { path, query: { limit: WHOLE_PAGE } } });

/** The accounts that people have connected. */
export const connectedAccountsQuery = (path: ServerPath) =>
  read.one(`${one}/accounts`, { params: { path, query: { limit: WHOLE_PAGE } } });

export interface ActorChoice {
  readonly id: string;
  readonly name: string;
  readonly kind: 'person' | 'service account';
}

/** Members, and service accounts for those who may list them. */
export function actorsQuery(org: string, isAdministrator: boolean) {
  return queryOptions({
    queryKey: ['/organizations/{org}/members', org, isAdministrator],
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

export const sessionsQuery = (path: ServerPath) =>
  read.list(`${one}/sessions`, { params: { path } }, { refetchInterval: FIGURES_MILLISECONDS });

export type ServerSession = Schemas['ServerSession'];

/** The capabilities of a remix with choices that may be unsaved, and their conflicts. */
export const remixPreviewQuery = ({ org, server }: ServerPath, remix: Schemas['RemixWrite']) =>
  read.one(
    '/organizations/{org}/remix-preview',
    { params: { path: { org } }, body: { remix, server } },
    { placeholderData: keepPreviousData },
  );
