/** Requests to the API as commands of a shell. */
import { serverFacts } from './server-facts.ts';
import { apiPath } from './workspace.ts';

export interface Command {
  readonly title: string;
  /** Alternatives: each of these commands does the whole action. */
  readonly texts: readonly string[];
}

/** Commands that do the same: of the Prefect client, where it has one, and of curl. */
export function command(title: string, ...texts: readonly string[]): Command {
  return { title, texts };
}

/** The credential stays a variable of the shell. */
const credential = {
  open: '',
  basic: ' -u "$PREFECT_API_AUTH_STRING"',
  key: ' -H "Authorization: Bearer $PREFECT_API_KEY"',
} as const;

/** `path` below the address of the API. */
export function curl(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): string {
  const address = quoted(`${location.origin}${apiPath}${path}`);
  const sent = body ? ` -H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}` : '';
  return `curl${method === 'GET' ? '' : ` -X ${method}`}${credential[serverFacts.apiAuth]} ${address}${sent}`;
}

/** One word of a POSIX shell. */
export function quoted(text: string): string {
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
