/** The lines with which a program uses its key, for the Prefect client. */
import { basePath, serverFacts } from '../api/server-facts.ts';
import { clientLines } from './client-lines.ts';

export interface HostedPlace {
  readonly organizationId: string;
  readonly workspaceId: string;
}

const address = location.origin + basePath;

/** The lines for a client of one workspace. */
export function workspaceSettings(key: string, workspace: HostedPlace): string {
  return clientLines({ address, workspace, apiAuth: 'key' }, key).join('\n');
}

/** The lines for a client of the workspace behind `/api`; undefined if it requires no key. */
export function serverSettings(key: string): string | undefined {
  const { apiAuth } = serverFacts;
  return apiAuth === 'key' ? clientLines({ address, workspace: undefined, apiAuth }, key).join('\n') : undefined;
}
