/** Reads a Prefect server, or Prefect Cloud, through its REST API. */
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError } from '../errors.ts';
import { isJsonObject, parseJson } from '../json.ts';
import { type Timestamp, wireTimestamp } from '../time.ts';
import { mapAtOnce } from './batches.ts';
import {
  hasBegun,
  type Kind,
  type Page,
  RUNS_TOGETHER,
  type RunBatch,
  type Source,
  type SourceObject,
} from './source.ts';

export interface ApiSourceOptions {
  /** Address of the API, such as `http://127.0.0.1:4200/api`. */
  readonly url: string;
  /** API key of Prefect Cloud, or of a server that checks keys. */
  readonly apiKey?: string | undefined;
  /** `user:password` of a server with basic authentication. */
  readonly authString?: string | undefined;
  /** Whether to ask for the secrets of blocks. Default: true. */
  readonly withSecrets?: boolean | undefined;
}

/** The largest page that a Prefect server gives by default. */
const PAGE = 200;
/** The largest page of events. */
const EVENT_PAGE = 50;
/** Requests to the source under way. */
const REQUESTS_AT_ONCE = 8;
const TRIES = 6;
const DEADLINE_MILLISECONDS = 60_000;
const MOST_SECONDS_BETWEEN_TRIES = 30;
/** Answers that pass by themselves: too many requests, and a server or proxy that is away. */
const PASSING = new Set([429, 502, 503, 504]);

/** The lists, with what they are asked for. Work queues are listed by pool. */
const lists: Readonly<Record<Exclude<Kind, 'work_queues' | 'block_documents'>, readonly [string, object]>> = {
  variables: ['/variables/filter', { sort: 'NAME_ASC' }],
  concurrency_limits: ['/v2/concurrency_limits/filter', {}],
  tag_concurrency_limits: ['/concurrency_limits/filter', {}],
  block_types: ['/block_types/filter', {}],
  block_schemas: ['/block_schemas/filter', {}],
  work_pools: ['/work_pools/filter', {}],
  flows: ['/flows/filter', { sort: 'NAME_ASC' }],
  deployments: ['/deployments/filter', { sort: 'NAME_ASC' }],
  automations: ['/automations/filter', { sort: 'CREATED_DESC' }],
  saved_searches: ['/saved_searches/filter', {}],
  artifacts: ['/artifacts/filter', { sort: 'ID_DESC' }],
  artifact_keys: ['/artifacts/latest/filter', { sort: 'ID_DESC' }],
};

export class ApiSource implements Source {
  readonly name: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #withSecrets: boolean;

  /** Throws ConfigError for an address that is not one of HTTP. */
  constructor({ url, apiKey, authString, withSecrets = true }: ApiSourceOptions) {
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
      throw new ConfigError(`"${url}" is not the address of an API, such as http://127.0.0.1:4200/api.`);
    }
    this.name = url.replace(/\/+$/, '');
    this.#withSecrets = withSecrets;
    const authorization = apiKey
      ? `Bearer ${apiKey}`
      : authString && `Basic ${Buffer.from(authString).toString('base64')}`;
    this.#headers = { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) };
  }

  async *objects(kind: Kind): AsyncGenerator<Page> {
    if (kind === 'work_queues') yield* this.#queues();
    else if (kind === 'block_documents') yield* this.#documents();
    else yield* this.#pages(...lists[kind]);
  }

  /** One batch ahead: the source answers for the next one while the one before is stored. */
  async *runs(from: Timestamp, end: Timestamp): AsyncGenerator<RunBatch> {
    const batches = this.#batches(from, end);
    let coming = batches.next();
    for (;;) {
      const { value, done } = await coming;
      if (done) return;
      coming = batches.next();
      // A failure is thrown where it is waited for.
      coming.catch(() => {});
      yield value;
    }
  }

  async *#batches(from: Timestamp, end: Timestamp): AsyncGenerator<RunBatch> {
    const read = (after: string | undefined, offset: number) => {
      const expected_start_time = { after_: after, before_: wireTimestamp(end) };
      const body = { flow_runs: { expected_start_time }, sort: 'EXPECTED_START_TIME_ASC', limit: PAGE, offset };
      return this.#list('/flow_runs/filter', body);
    };
    let begun: SourceObject[] = [];
    let waiting = 0;
    for await (const page of inOrderOf('expected_start_time', read, wireTimestamp(from))) {
      const more = page.filter(hasBegun);
      waiting += page.length - more.length;
      begun.push(...more);
      for (; begun.length >= RUNS_TOGETHER; begun = begun.slice(RUNS_TOGETHER), waiting = 0) {
        yield this.#batch(begun.slice(0, RUNS_TOGETHER), waiting);
      }
    }
    if (begun.length > 0 || waiting > 0) yield this.#batch(begun, waiting);
  }

  backgroundTaskRuns(since: Timestamp): AsyncGenerator<Page> {
    const task_runs = { flow_run_id: { is_null_: true }, expected_start_time: { after_: wireTimestamp(since) } };
    return this.#pages('/task_runs/filter', { task_runs, sort: 'ID_DESC' });
  }

  async *events(since: Timestamp, until: Timestamp): AsyncGenerator<Page> {
    const filter = { occurred: { since: wireTimestamp(since), until: wireTimestamp(until) }, order: 'ASC' };
    let answer = await this.#post('/events/filter', { filter, limit: EVENT_PAGE });
    while (isJsonObject(answer) && Array.isArray(answer['events']) && answer['events'].length > 0) {
      yield answer['events'].filter(isJsonObject);
      const next = URL.parse(String(answer['next_page']));
      if (!next) return;
      answer = await this.#get(`/events/filter/next${next.search}`);
    }
  }

  async runCount(since: Timestamp): Promise<number> {
    return Number(await this.#post('/flow_runs/count', { flow_runs: windowFrom(since) }));
  }

  async counts(since: Timestamp): Promise<Record<string, number>> {
    const routes: readonly [string, string][] = [
      ['variables', '/variables/count'],
      ['block documents', '/block_documents/count'],
      ['work pools', '/work_pools/count'],
      ['flows', '/flows/count'],
      ['deployments', '/deployments/count'],
      ['automations', '/automations/count'],
      ['artifacts', '/artifacts/count'],
    ];
    const found: Record<string, number> = {};
    for (const [what, path] of routes) found[what] = Number(await this.#post(path, {}));
    const taskRuns = Number(await this.#post('/task_runs/count', { task_runs: windowFrom(since) }));
    return { ...found, 'flow runs': await this.runCount(since), 'task runs': taskRuns };
  }

  #batch(runs: Page, waiting: number): RunBatch {
    const ids = runs.map(({ id }) => String(id));
    const flow_run_id = { any_: ids };
    const readLogs = (after: string | undefined, offset: number) => {
      const timestamp = after === undefined ? undefined : { after_: after };
      return this.#list('/logs/filter', {
        logs: { flow_run_id, timestamp },
        sort: 'TIMESTAMP_ASC',
        limit: PAGE,
        offset,
      });
    };
    const states = mapAtOnce(REQUESTS_AT_ONCE, ids, (id) => this.#list(`/flow_run_states/?flow_run_id=${id}`));
    states.catch(() => {});
    return {
      runs,
      waiting,
      states: () => states,
      taskRuns: () => this.#pages('/task_runs/filter', { flow_runs: { id: { any_: ids } }, sort: 'ID_DESC' }),
      logs: () => inOrderOf('timestamp', readLogs),
    };
  }

  async *#queues(): AsyncGenerator<Page> {
    for await (const pools of this.objects('work_pools')) {
      for (const { id, name } of pools) {
        const path = `/work_pools/${encodeURIComponent(String(name))}/queues/filter`;
        for await (const queues of this.#pages(path, {})) yield queues.map((queue) => ({ ...queue, work_pool_id: id }));
      }
    }
  }

  async *#documents(): AsyncGenerator<Page> {
    for (const eq_ of [false, true]) {
      const asked = { block_documents: { is_anonymous: { eq_ } }, include_secrets: this.#withSecrets };
      yield* this.#pages('/block_documents/filter', { ...asked, sort: 'BLOCK_TYPE_AND_NAME_ASC' });
    }
  }

  /** The pages of a filter route, in the order that `body` asks for. */
  async *#pages(path: string, body: object): AsyncGenerator<Page> {
    for (let offset = 0; ; offset += PAGE) {
      const page = await this.#list(path, { ...body, limit: PAGE, offset });
      if (page.length > 0) yield page;
      if (page.length < PAGE) return;
    }
  }

  async #list(path: string, body?: object): Promise<SourceObject[]> {
    const answer = await (body ? this.#post(path, body) : this.#get(path));
    if (Array.isArray(answer) && answer.every(isJsonObject)) return answer;
    throw new ConfigError(`${this.name}${path} did not answer a list, so it is not the API of a Prefect server.`);
  }

  #get(path: string): Promise<unknown> {
    return this.#ask(path, { method: 'GET' });
  }

  #post(path: string, body: object): Promise<unknown> {
    return this.#ask(path, { method: 'POST', body: JSON.stringify(body) });
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
      const response = await fetch(this.name + path, { ...request, headers: this.#headers, signal });
      const text = await response.text();
      if (response.ok) return { value: parseJson(text) };
      return {
        problem: `${this.name}${path} answered ${response.status}: ${adviceFor(response.status, text)}`,
        passes: PASSING.has(response.status),
        seconds: Number(response.headers.get('retry-after')) || 0,
      };
    } catch (error) {
      const { cause, message } = error as Error;
      const why = cause instanceof Error ? cause.message || (cause as { code?: string }).code : message;
      return { problem: `${this.name}${path} cannot be read: ${why}.`, passes: true, seconds: 0 };
    }
  }
}

function adviceFor(status: number, text: string): string {
  if (status === 401 || status === 403) return 'set PREFECT_API_KEY or PREFECT_API_AUTH_STRING to what it accepts.';
  return text.slice(0, 300);
}

function windowFrom(since: Timestamp): object {
  return { expected_start_time: { after_: wireTimestamp(since) } };
}

/**
 * All pages of a list in the order of a time. Each asks from the time of the last object on, so that the source does not
 * read all that came before for each page.
 */
async function* inOrderOf(
  field: string,
  read: (after: string | undefined, offset: number) => Promise<SourceObject[]>,
  from?: string,
): AsyncGenerator<Page> {
  let after = from;
  let offset = 0;
  /** Objects of that time that came already. */
  let seen = new Set<unknown>();
  for (;;) {
    const page = await read(after, offset);
    const more = page.filter(({ id }) => !seen.has(id));
    if (more.length > 0) yield more;
    if (page.length < PAGE) return;
    const last = String(page.at(-1)?.[field]);
    if (last === after) offset += page.length;
    else [after, offset, seen] = [last, 0, new Set()];
    for (const object of page) if (object[field] === last) seen.add(object['id']);
  }
}
