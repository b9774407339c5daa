/** The lines with which a program uses its key, for the Prefect client. */
import { basePath, serverFacts } from '../api/server-facts.ts';

export interface HostedPlace {
  readonly organizationId: string;
  readonly workspaceId: string;
}

const address = location.origin + basePath;

/** The lines for a client of one workspace; without the third line its websockets carry no key. */
export function workspaceSettings(key: string, { organizationId, workspaceId }: HostedPlace): string {
  return [
    `export PREFECT_API_URL=${address}/api/accounts/${organizationId}/workspaces/${workspaceId}`,
    `export PREFECT_API_KEY=${key}`,
    `export PREFECT_CLOUD_API_URL=${address}/api`,
  ].join('\n');
}

/** The lines for a client of the workspace behind `/api`; undefined if it requires no key. */
export function serverSettings(key: string): string | undefined {
  if (serverFacts.apiAuth !== 'key') return undefined;
  return [`export PREFECT_API_URL=${address}/api`, `export PREFECT_API_AUTH_STRING=${key}`].join('\n');
}
