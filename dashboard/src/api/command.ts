/** Requests to the API as commands of a shell. */
import { serverFacts } from './server-facts.ts';
import { apiPath } from './workspace.ts';

export interface Command {
  readonly title: string;
  /** One command, or several with an empty line between them that do the same. */
  readonly text: string;
}

/** Commands that do the same: of the Prefect client, where it has one, and of curl. */
export function command(title: string, ...same: readonly string[]): Command {
  return { title, text: same.join('\n\n') };
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
