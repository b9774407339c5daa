/** The platform API of a running server, for commands that use a key instead of the database. */
import { ConfigError } from '../errors.ts';
import { isJsonObject } from '../values/json.ts';
import { Api } from './api.ts';
import type { ServerContext } from './contexts.ts';

const DEADLINE_MILLISECONDS = 60_000;

export class ServerApi extends Api {
  readonly #server: ServerContext;

  constructor(server: ServerContext) {
    super();
    this.#server = server;
  }

  /**
   * Returns the parsed answer; undefined for an empty one. `path` is below `/api/v0`, or begins with `/api/`. Throws
   * ConfigError with the server's own sentence when it refuses, and never shows the key.
   */
  override async call(method: string, path: string, body?: string): Promise<unknown> {
    const { url, key } = this.#server;
    const address = url + (path.startsWith('/api/') ? path : `/api/v0${path}`);
    const response = await fetch(address, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      // Redirects are refused, because the key is only for this server.
      redirect: 'error',
      signal: AbortSignal.timeout(DEADLINE_MILLISECONDS),
    }).catch((error: Error) => {
      const { cause } = error;
      const why = cause instanceof Error ? cause.message || (cause as { code?: string }).code : error.message;
      throw new ConfigError(`${url} cannot be reached: ${why}.`);
    });
    const text = await response.text();
    const answer = parsed(text);
    if (response.ok) return answer;
    if (response.status === 401) throw new ConfigError(`${url} does not accept this key. Log in again.`);
    throw new ConfigError(`${url} answered ${response.status}: ${sentenceIn(answer) ?? text.slice(0, 300)}`);
  }
}

/** The part of the address before `/api`. Throws ConfigError for an address that is not HTTP or contains credentials. */
export function serverAddress(given: string): string {
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search) {
    throw new ConfigError(`"${given}" is not the address of a server, such as https://signalbox.example.`);
  }
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/api(\/v0)?$/, '');
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

function sentenceIn(answer: unknown): string | undefined {
  const error = isJsonObject(answer) ? answer['error'] : undefined;
  return isJsonObject(error) && typeof error['message'] === 'string' ? error['message'] : undefined;
}
