/** The platform API of a running server, for commands that use a key instead of the database. */
import { ConfigError } from '../errors.ts';
import { isJsonObject } from '../values/json.ts';
import type { ServerContext } from './contexts.ts';

const DEADLINE_MILLISECONDS = 60_000;
const PAGE = 200;

export type Item = Readonly<Record<string, unknown>>;

export class ServerApi {
  readonly #server: ServerContext;

  constructor(server: ServerContext) {
    this.#server = server;
  }

  /**
   * Returns the parsed answer; undefined for an empty one. `path` is below `/api/v0`, or begins with `/api/`. Throws
   * ConfigError with the server's own sentence when it refuses, and never shows the key.
   */
  async call(method: string, path: string, body?: string): Promise<unknown> {
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

  send(method: string, path: string, body: object): Promise<Item> {
    return this.call(method, path, JSON.stringify(body)) as Promise<Item>;
  }

  /** Returns all items of a paginated list. `filter` goes into the query. */
  async all(path: string, filter: Readonly<Record<string, string>> = {}): Promise<Item[]> {
    const items: Item[] = [];
    for (let cursor: unknown; cursor !== null; ) {
      const query = new URLSearchParams({
        ...filter,
        limit: String(PAGE),
        ...(cursor ? { cursor: String(cursor) } : {}),
      });
      const page = await this.call('GET', `${path}?${query}`);
      if (!isJsonObject(page) || !Array.isArray(page['items'])) throw notAList(this.#server.url, path);
      items.push(...page['items'].filter(isJsonObject));
      cursor = (isJsonObject(page['meta']) && page['meta']['nextCursor']) || null;
    }
    return items;
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

function notAList(url: string, path: string): ConfigError {
  return new ConfigError(`${url} did not return a list at ${path}, so it is not the API of Signalbox.`);
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
