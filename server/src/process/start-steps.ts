/** Steps of a start that a server of one process and one of several have in common. */
import { lookup } from 'node:dns/promises';
import type { Config } from '../config.ts';
import { ConfigError } from '../errors.ts';
import { decideHosting } from '../mcp/hosting/host/runner/mode.ts';
import { claimEndpoint } from '../outbound/own-endpoints.ts';
import { makeHome, tightenHome } from '../settings/home-folder.ts';
import type { Logger } from '../watching/logger.ts';

/** Makes the home folder, with rights for this user only, and gives the same to all files that this process makes. */
export function ownHome(home: string): void {
  // Regardless of the umask that it inherits.
  process.umask(0o077);
  makeHome(home);
  tightenHome(home);
}

/** Decides how programs of users run here; `hosting` is a sentence about it. Throws ConfigError. */
export function withHosting(given: Config): { readonly config: Config; readonly hosting: string } {
  const decision = decideHosting(given);
  if ('problem' in decision) throw new ConfigError(decision.problem);
  const config = {
    ...given,
    hosting: decision.mode,
    hostingNetwork: decision.network,
    hostingReason: decision.sentence,
  };
  return { config, hosting: decision.sentence };
}

/** Logs where the settings come from. */
export function tellSettings({ serviceLinks, settingsFile }: Config, logger: Logger): void {
  if (serviceLinks.length > 0) {
    logger.info({ variables: serviceLinks }, 'variables that Kubernetes sets for a Service are not settings');
  }
  if (settingsFile) logger.info({ file: settingsFile.path }, 'settings are read from a file');
  if (settingsFile?.exposure) logger.warn(`${settingsFile.exposure.says} ${settingsFile.exposure.cure}`);
}

/** A name that does not resolve now is not a target of users either, so it is not claimed. */
export async function claimDatabase(databaseUrl: string): Promise<void> {
  const url = databaseUrl.startsWith('postgres') ? URL.parse(databaseUrl) : null;
  if (!url) return;
  const host = url.hostname.replace(/^\[|\]$/g, '') || 'localhost';
  const addresses = await lookup(host, { all: true }).catch(() => []);
  for (const { address } of addresses) claimEndpoint(address, Number(url.port || 5432));
}
