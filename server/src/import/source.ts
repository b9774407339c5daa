/** Reads a Prefect server, or Prefect Cloud, through its REST API. */
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError } from '../errors.ts';
import { isJsonObject, parseJson } from '../json.ts';

export type SourceObject = Readonly<Record<string, unknown>>;

export interface SourceOptions {
  /** Address of the API, such as `http://127.0.0.1:4200/api`. */
  readonly url: string;
  /** API key of Prefect Cloud, or of a server that checks keys. */
  readonly apiKey?: string | undefined;
  /** `user:password` of a server with basic authentication. */
  readonly authString?: string | undefined;
}

/** The largest page that a Prefect server gives by default. */
const PAGE = 200;
const TRIES = 6;
const DEADLINE_MILLISECONDS = 60_000;
const MOST_SECONDS_BETWEEN_TRIES = 30;
/** Answers that pass by themselves: too many requests, and a server or proxy that is away. */
const PASSING = new Set([429, 502, 503, 504]);

export class Source {
  readonly url: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** Throws ConfigError for an address that is not one of HTTP. */
  constructor({ url, apiKey, authString }: SourceOptions) {
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
      throw new ConfigError(`"${url}" is not the address of an API, such as http://127.0.0.1:4200/api.`);
    }
    this.url = url.replace(/\/+$/, '');
    const authorization = apiKey
      ? `Bearer ${apiKey}`
      : authString && `Basic ${Buffer.from(authString).toString('base64')}`;
    this.#headers = { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) };
  }

  /** Throws ConfigError when the source refuses, or does not answer after several tries. */
  get(path: string): Promise<unknown> {
    return this.#ask(path, { method: 'GET' });
  }

  post(path: string, body: object): Promise<unknown> {
    return this.#ask(path, { method: 'POST', body: JSON.stringify(body) });
  }

  /** The number that a count route answers. */
  async count(path: string, body: object = {}): Promise<number> {
    return Number(await this.post(path, body));
  }

  /** A route that answers a list. Throws ConfigError when it answers something else. */
  async list(path: string, body?: object): Promise<SourceObject[]> {
    const answer = await (body ? this.post(path, body) : this.get(path));
    if (Array.isArray(answer) && answer.every(isJsonObject)) return answer;
    throw new ConfigError(`${this.url}${path} did not answer a list, so it is not the API of a Prefect server.`);
  }

  /** The pages of a filter route, in the order that `body` asks for. */
  async *pages(path: string, body: object = {}): AsyncGenerator<SourceObject[]> {
    for (let offset = 0; ; offset += PAGE) {
      const page = await this.list(path, { ...body, limit: PAGE, offset });
      if (page.length > 0) yield page;
      if (page.length < PAGE) return;
    }
  }

  async #ask(path: string, request: RequestInit): Promise<unknown> {
    for (let tried = 1; ; tried++) {
      const answer = await this.#try(path, request);
      if ('value' in answer) return answer.value;
      if (!answer.passes || tried === TRIES) throw new ConfigError(answer.problem);
      await wait(1000 * Math.min(MOST_SECONDS_BETWEEN_TRIES, answer.seconds || 2 ** (tried - 1) / 2));
    }
  }

  async #try(
    path: string,
    request: RequestInit,
  ): Promise<{ value: unknown } | { problem: string; passes: boolean; seconds: number }> {
    const signal = AbortSignal.timeout(DEADLINE_MILLISECONDS);
    try {
      const response = await fetch(this.url + path, { ...request, headers: this.#headers, signal });
      const text = await response.text();
      if (response.ok) return { value: parseJson(text) };
      return {
        problem: `${this.url}${path} answered ${response.status}: ${adviceFor(response.status, text)}`,
        passes: PASSING.has(response.status),
        seconds: Number(response.headers.get('retry-after')) || 0,
      };
    } catch (error) {
      const { cause, message } = error as Error;
      const why = cause instanceof Error ? cause.message || (cause as { code?: string }).code : message;
      return { problem: `${this.url}${path} cannot be read: ${why}.`, passes: true, seconds: 0 };
    }
  }
}

function adviceFor(status: number, text: string): string {
  if (status === 401 || status === 403) return 'set PREFECT_API_KEY or PREFECT_API_AUTH_STRING to what it accepts.';
  return text.slice(0, 300);
}
