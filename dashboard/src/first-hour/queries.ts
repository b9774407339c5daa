/** Queries and changes of the first hour. Changes throw Problem when the server refuses them. */
import { answered, api, platform } from '../api/client.ts';
import type { components as Platform } from '../api/platform.gen.ts';
import { invalidate, platformRead, read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';

export type FirstHourView = components['schemas']['FirstHour'];
export type FirstServers = Platform['schemas']['FirstServers'];

/** The stream reports requests only to editors of a server. */
const CALLS_MILLISECONDS = 15_000;

export const firstHourQuery = read.one(
  '/first_hour',
  {},
  { watches: ['first_hour', 'flow', 'flow_run', 'deployment', 'work_pool', 'work_queue'] },
);

export const firstServersQuery = (org: string, workspace: string | undefined) =>
  platformRead.one(
    '/organizations/{org}/views/first-servers',
    { params: { path: { org }, query: { workspace } } },
    { watches: ['mcp_server', 'server_request'], refetchInterval: CALLS_MILLISECONDS },
  );

export async function setDismissed(dismissed: boolean): Promise<void> {
  await answered(api.PATCH('/first_hour', { body: { dismissed } }));
  await invalidate('/first_hour', '/views/home');
}

/** The place of the built-in server, for a person who may give it a policy. */
export interface PolicyPlace {
  readonly org: string;
  readonly workspace: string;
}

/** The policy comes last, and goes last: without it, the sample is whole. */
export async function loadSample(place: PolicyPlace | undefined): Promise<void> {
  await answered(api.POST('/first_hour/sample', {}));
  if (place) await answered(platform.PUT(policyPath, { params: paramsOf(place) }));
  await rereadAll();
}

export async function removeSample(place: PolicyPlace | undefined): Promise<void> {
  await answered(api.DELETE('/first_hour/sample', {}));
  if (place) await answered(platform.DELETE(policyPath, { params: paramsOf(place) }));
  await rereadAll();
}

const policyPath = '/organizations/{org}/workspaces/{id}/sample-policy';

const paramsOf = ({ org, workspace }: PolicyPlace) => ({ path: { org, id: workspace } });

const rereadAll = () => invalidate('/first_hour', '/views/home', '/organizations/{org}/views/first-servers');
