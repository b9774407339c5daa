/** Programs that read and write all the time, and keep the answers. */
import { setTimeout as delay } from 'node:timers/promises';

const CLIENTS = 20;
const PAGE = 200;
const PAUSE_MILLISECONDS = 50;
const PATIENCE_MILLISECONDS = 60_000;

export type Statuses = ReadonlyMap<number, number>;

export interface ClientsOptions {
  /** Number of characters of each value. */
  readonly length?: number;
}

/** Twenty clients that create variables and read their first one, until stopped. Status 0 is a lost connection. */
export class Clients {
  readonly #acknowledged: string[] = [];
  readonly #reads = new Map<number, number>();
  readonly #writes = new Map<number, number>();
  readonly withoutRetryAfter: string[] = [];
  readonly #api: string;
  readonly #length: number;
  readonly #loops: Promise<void>[];
  /** When each client last had a write acknowledged. */
  readonly #lastSuccess: number[] = [];
  #stopped = false;

  constructor(api: string, { length = 1 }: ClientsOptions = {}) {
    this.#api = api;
    this.#length = length;
    this.#loops = Array.from({ length: CLIENTS }, (_, client) => this.#loop(client));
  }

  /** Names of variables whose creation was acknowledged. */
  get acknowledged(): readonly string[] {
    return this.#acknowledged;
  }

  get reads(): Statuses {
    return this.#reads;
  }

  get writes(): Statuses {
    return this.#writes;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#loops);
  }

  /** Resolves with the seconds after which every client has had a write acknowledged. */
  async allSucceed(): Promise<number> {
    const began = performance.now();
    while (this.#lastSuccess.length < CLIENTS || this.#lastSuccess.some((at) => at < began)) {
      if (performance.now() - began > PATIENCE_MILLISECONDS) throw new Error('Some clients no longer succeed.');
      await delay(10);
    }
    return (performance.now() - began) / 1000;
  }

  /** The acknowledged ones that the server does not have. */
  async lost(): Promise<string[]> {
    const stored = new Set<string>();
    for (let offset = 0; ; offset += PAGE) {
      const answer = await fetch(`${this.#api}/variables/filter`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ limit: PAGE, offset }),
      });
      const page = (await answer.json()) as { name: string }[];
      for (const { name } of page) stored.add(name);
      if (page.length < PAGE) return this.#acknowledged.filter((name) => !stored.has(name));
    }
  }

  async #loop(client: number): Promise<void> {
    this.#lastSuccess[client] = 0;
    for (let number = 0; !this.#stopped; number++) {
      const name = `client_${client}_write_${number}`;
      await this.#ask('GET', `/variables/name/client_${client}_write_0`);
      const status = await this.#ask('POST', '/variables/', { name, value: 'x'.repeat(this.#length) });
      if (status !== 201) {
        await delay(PAUSE_MILLISECONDS);
        continue;
      }
      this.#acknowledged.push(name);
      this.#lastSuccess[client] = performance.now();
    }
  }

  async #ask(method: 'GET' | 'POST', path: string, body?: object): Promise<number> {
    const answer = await fetch(this.#api + path, {
      method,
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
    }).catch(() => undefined);
    const status = answer?.status ?? 0;
    await answer?.arrayBuffer();
    const statuses = method === 'GET' ? this.#reads : this.#writes;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 503 && !answer?.headers.has('retry-after')) this.withoutRetryAfter.push(path);
    return status;
  }
}

/** The counts as one line, for a figure. */
export function told(statuses: Statuses): string {
  return [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ');
}
