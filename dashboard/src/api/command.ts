/** Requests to the API as shell commands. */
import { basePath, serverFacts } from './server-facts.ts';
import { quoted } from './shell-word.ts';
import { apiPath } from './workspace.ts';

export interface Command {
  readonly title: string;
  /** Alternatives: each of these commands does the whole action. */
  readonly texts: readonly string[];
}

/** Equivalent commands: of the Prefect client, if it has one, and of curl. */
export function command(title: string, ...texts: readonly string[]): Command {
  return { title, texts };
}

/** The credential stays a shell variable. */
const credential = {
  open: '',
  basic: ' -u "$PREFECT_API_AUTH_STRING"',
  key: ' -H "Authorization: Bearer $PREFECT_API_KEY"',
} as const;

/** `path` is below the address of the API. */
export function curl(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): string {
  const address = quoted(`${location.origin}${apiPath}${path}`);
  const sent = body ? ` -H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}` : '';
  return `curl${method === 'GET' ? '' : ` -X ${method}`}${credential[serverFacts.apiAuth]} ${address}${sent}`;
}

/** Commands that make an account for a person who cannot sign in yet, with a password. */
export const firstAdministrator = [
  `${serverFacts.program} users create --email ada@example.com --role admin`,
  `${serverFacts.program} users password --email ada@example.com`,
].join('\n');

/** `path` is below `/api/v0`, which always requires a key. For the command line of this server, and for curl. */
export function platformCommand(method: 'GET' | 'POST' | 'DELETE', path: string): readonly [string, string] {
  const sent = method === 'GET' ? '' : ` -X ${method}`;
  const address = quoted(`${location.origin}${basePath}/api/v0${path}`);
  return [
    `signalbox api${method === 'GET' ? '' : ` --method ${method}`} --path ${quoted(path)}`,
    `curl${sent} -H "Authorization: Bearer $SIGNALBOX_KEY" ${address}`,
  ];
}
