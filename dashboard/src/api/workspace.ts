/** The workspace of this page. It is part of the address, so it stays the same until the page is left. */
import { basePath } from './server-facts.ts';

/** The Prefect client's form of the addresses of a hosted workspace: `/account/<id>/workspace/<id>/runs`. */
const HOSTED = /^\/account\/([^/]+)\/workspace\/([^/]+)(?=\/|$)/;

export interface Workspace {
  readonly organizationId: string;
  readonly workspaceId: string;
}

const match = HOSTED.exec(location.pathname.slice(basePath.length));

/** Undefined for the workspace behind `/api`. */
export const workspace: Workspace | undefined = match
  ? { organizationId: match[1] as string, workspaceId: match[2] as string }
  : undefined;

/** Path below which the pages of this workspace are. */
export const pagesPath = basePath + (match?.[0] ?? '');

/** Path of this workspace's API. */
export const apiPath = workspace
  ? `${basePath}/api/accounts/${workspace.organizationId}/workspaces/${workspace.workspaceId}`
  : `${basePath}/api`;

/** Path of the platform API. */
export const platformPath = `${basePath}/api/v0`;
