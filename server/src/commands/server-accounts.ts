/** The paths of service accounts in the platform API of a server. */
import { ConfigError } from '../errors.ts';
import type { ServerApi } from './server-api.ts';

export function accountsOf(organization: string): string {
  return `/organizations/${encodeURIComponent(organization)}/service-accounts`;
}

/** The path of the account with this name. Throws ConfigError when there is none. */
export async function pathOfAccount(server: ServerApi, organization: string, name: string): Promise<string> {
  const found = (await server.all(accountsOf(organization))).find((account) => account['name'] === name);
  if (!found) throw new ConfigError(`${organization} has no service account named "${name}".`);
  return `${accountsOf(organization)}/${String(found['id'])}`;
}
