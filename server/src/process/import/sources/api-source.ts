/** Reads a Prefect server, or Prefect Cloud, through its REST API. */
import { ConfigError } from '../../../errors.ts';
import { isJsonObject } from '../../../values/json.ts';
import { type Timestamp, wireTimestamp } from '../../../values/time.ts';
import { AnswerTooLong, type ApiAddress, ApiClient, SourceRefused } from './api-client.ts';
import { mapAtOnce } from './batches.ts';
import {
  hasBegun,
  hasNotEnded,
  type Kind,
  NOT_BEGUN,
  type Page,
  RUNS_TOGETHER,
  type RunBatch,
  type Source,
  type SourceObject,
} from './source.ts';

interface ApiSourceOptions extends ApiAddress {
  /** True to read the secrets of blocks, the default. */
  readonly withSecrets?: boolean | undefined;
}

/** The largest page that a Prefect server returns by default. A server may be configured for less. */
const PAGE = 200;
/** The largest page of events. */
const EVENT_PAGE = 50;
/** The versions with which imports are tested. */
const READABLE = 'Prefect 3.4 to 3.9';
/** Attempts to reach a source about which nothing is known yet. */
const PROBES = 3;
const WAITING = { state: { type: { any_: [...NOT_BEGUN] } } };
/** Concurrent requests to the source. */
const REQUESTS_AT_ONCE = 8;

/** The paths and filters of the lists. Work queues are listed by pool. */
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
  readonly #client: ApiClient;
  readonly #withSecrets: boolean;
  /** Kinds that the source does not know. */
  readonly #unknown = new Set<Kind>();
  #page = PAGE;

  /** Throws ConfigError for an address that is not http or https. */
  constructor({ withSecrets = true, ...address }: ApiSourceOptions, client = new ApiClient(address)) {
    this.#client = client;
    this.#withSecrets = withSecrets;
  }

  /**
   * Finds the API at the address, or at `/api` below it, and asks for its version. Returns the source with sentences
   * for the person who named it. Throws ConfigError if it is not an API that an import can read.
   */
  static async connect(options: ApiSourceOptions): Promise<{ source: ApiSource; remarks: readonly string[] }> {
    const given = new ApiClient(options);
    const first = await probe(given);
    if (first === undefined) return new ApiSource(options, given).#checked([]);
    const isWhole = /\/api(\/|$)/.test(new URL(given.url).pathname);
    const below = isWhole ? undefined : new ApiClient({ ...options, url: `${given.url}/api` });
    if (!below || (await probe(below)) !== undefined) throw first;
    return new ApiSource(options, below).#checked([`The API of ${given.url} is at ${below.url}: read from there.`]);
  }

  get name(): string {
    return this.#client.url;
  }

  set onWait(say: (doing: string) => void) {
    this.#client.onWait = say;
  }

  get remarks(): readonly string[] {
    return Array.from(
      this.#unknown,
      (kind) => `The source does not know ${kind.replaceAll('_', ' ')}, so none were imported.`,
    );
  }

  /** Checks the version of the source, and finds the largest page that it returns. */
  async #checked(remarks: readonly string[]): Promise<{ source: ApiSource; remarks: readonly string[] }> {
    const version = await this.#client.get('/admin/version').catch(() => undefined);
    const [, major, minor] = /^(\d+)\.(\d+)/.exec(typeof version === 'string' ? version : '') ?? [];
    if (major !== undefined && Number(major) < 3) {
      throw new ConfigError(
        `${this.name} is a Prefect ${version} server. Upgrade it to Prefect 3 first: an import reads ${READABLE}.`,
      );
    }
    const isTried = major === undefined || (Number(major) === 3 && Number(minor) >= 4 && Number(minor) <= 9);
    const odd = `${this.name} is a Prefect ${version} server. Imports are tested with ${READABLE}: compare the counts.`;
    this.#page = await this.#client.post('/flows/filter', { limit: PAGE }).then(
      () => PAGE,
      (error: unknown) => Number(/less than or equal to (\d+)/.exec(String(error))?.[1]) || raise(error),
    );
    return { source: this, remarks: isTried ? remarks : [...remarks, odd] };
  }

  async marker(): Promise<unknown> {
    const answer = await this.#client.get('/views/import', 1).catch(() => undefined);
    return isJsonObject(answer) ? answer['id'] : undefined;
  }

  async *objects(kind: Kind): AsyncGenerator<Page> {
    try {
      if (kind === 'work_queues') yield* this.#queues();
      else if (kind === 'block_documents') yield* this.#documents();
      else yield* this.#pages(...lists[kind]);
    } catch (error) {
      // Older servers and Prefect Cloud lack some kinds.
      if (!(error instanceof SourceRefused && error.status === 404)) throw error;
      this.#unknown.add(kind);
    }
  }

  runs(from: Timestamp, end: Timestamp, isDry = false): AsyncGenerator<RunBatch> {
    const read = (after: string | undefined, offset: number) => {
      const expected_start_time = { after_: after, before_: wireTimestamp(end) };
      const body = { flow_runs: { expected_start_time }, sort: 'EXPECTED_START_TIME_ASC', limit: this.#page, offset };
      return this.#list('/flow_runs/filter', body);
    };
    const pages = inOrderOf('expected_start_time', read, this.#page, wireTimestamp(from));
    return this.#batches(pages, hasBegun, isDry);
  }

  waitingRuns(isDry = false): AsyncGenerator<RunBatch> {
    const pages = this.#pages('/flow_runs/filter', { flow_runs: WAITING, sort: 'ID_DESC' });
    return this.#batches(pages, (run) => !hasBegun(run), isDry);
  }

  async *#batches(
    pages: AsyncIterable<Page>,
    isWanted: (run: SourceObject) => boolean,
    isDry: boolean,
  ): AsyncGenerator<RunBatch> {
    const batch = (runs: Page) => this.#batch(runs, isDry);
    yield* oneAhead(inBatches(pages, isWanted, batch));
  }

  backgroundTaskRuns(since: Timestamp): AsyncGenerator<Page> {
    const task_runs = { flow_run_id: { is_null_: true }, expected_start_time: { after_: wireTimestamp(since) } };
    return this.#pages('/task_runs/filter', { task_runs, sort: 'ID_DESC' });
  }

  async *events(since: Timestamp, until: Timestamp): AsyncGenerator<Page> {
    const filter = { occurred: { since: wireTimestamp(since), until: wireTimestamp(until) }, order: 'ASC' };
    let answer = await this.#client.post('/events/filter', { filter, limit: EVENT_PAGE });
    while (isJsonObject(answer) && Array.isArray(answer['events']) && answer['events'].length > 0) {
      yield answer['events'].filter(isJsonObject);
      const next = URL.parse(String(answer['next_page']));
      if (!next) return;
      answer = await this.#client.get(`/events/filter/next${next.search}`);
    }
  }

  async runCount(since: Timestamp): Promise<number> {
    const [all, waiting] = await Promise.all([
      this.#client.post('/flow_runs/count', { flow_runs: windowFrom(since) }),
      this.#client.post('/flow_runs/count', { flow_runs: { ...windowFrom(since), ...WAITING } }),
    ]);
    return Math.max(0, Number(all) - Number(waiting));
  }

  async earlierRunCount(since: Timestamp): Promise<number> {
    const expected_start_time = { before_: wireTimestamp(since) };
    const [all, waiting] = await Promise.all([
      this.#client.post('/flow_runs/count', { flow_runs: { expected_start_time } }),
      this.#client.post('/flow_runs/count', { flow_runs: { expected_start_time, ...WAITING } }),
    ]);
    return Math.max(0, Number(all) - Number(waiting));
  }

  #batch(runs: Page, isDry: boolean): RunBatch {
    const ids = runs.map(({ id }) => String(id));
    const flow_run_id = { any_: ids };
    const limit = this.#page;
    const readLogs = (after: string | undefined, offset: number) => {
      const timestamp = after === undefined ? undefined : { after_: after };
      return this.#list('/logs/filter', { logs: { flow_run_id, timestamp }, sort: 'TIMESTAMP_ASC', limit, offset });
    };
    const ask = () => mapAtOnce(REQUESTS_AT_ONCE, ids, (id) => this.#list(`/flow_run_states/?flow_run_id=${id}`));
    // Requested ahead, while the previous batch is stored.
    const asked = isDry ? undefined : ask();
    asked?.catch(() => {});
    return {
      runs,
      states: () => asked ?? ask(),
      taskRuns: () => this.#pages('/task_runs/filter', { flow_runs: { id: { any_: ids } }, sort: 'ID_DESC' }),
      logs: () => inOrderOf('timestamp', readLogs, this.#page),
      inputs: () => this.#inputs(runs.filter(hasNotEnded)),
    };
  }

  async *#inputs(runs: Page): AsyncGenerator<Page> {
    for (const { id } of runs) {
      for await (const page of this.#pages(`/flow_runs/${id}/input/filter`, { prefix: '' })) {
        yield page.map((input) => ({ ...input, flow_run_id: id }));
      }
    }
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

  /**
   * The pages of a filter route, in the order that `body` requests. A page that is too long is requested again in
   * smaller ones.
   */
  async *#pages(path: string, body: object): AsyncGenerator<Page> {
    let limit = this.#page;
    for (let offset = 0; ; ) {
      try {
        const page = await this.#list(path, { ...body, limit, offset });
        if (page.length > 0) yield page;
        if (page.length < limit) return;
        offset += page.length;
      } catch (error) {
        if (!(error instanceof AnswerTooLong) || limit === 1) throw error;
        limit = Math.ceil(limit / 10);
      }
    }
  }

  async #list(path: string, body?: object): Promise<SourceObject[]> {
    const answer = await (body ? this.#client.post(path, body) : this.#client.get(path));
    if (Array.isArray(answer) && answer.every(isJsonObject)) return answer;
    throw new ConfigError(`${this.name}${path} did not return a list, so it is not the API of a Prefect server.`);
  }
}

/** A sentence why the address is not an API of Prefect; undefined if it is one. Uses a route that every version has. */
async function probe(client: ApiClient): Promise<ConfigError | undefined> {
  try {
    const count = await client.post('/flows/count', {}, PROBES);
    if (typeof count === 'number') return undefined;
    return new ConfigError(`${client.url} is not the API of a Prefect server: it counts no flows.`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (!(error instanceof SourceRefused && (error.status === 404 || error.status === 405))) return error;
    return new ConfigError(
      `${client.url} is not the API of a Prefect server: /flows/count answered ${error.status}. Its address usually ends with /api.`,
    );
  }
}

function raise(error: unknown): never {
  throw error;
}

async function* inBatches(
  pages: AsyncIterable<Page>,
  isWanted: (run: SourceObject) => boolean,
  batch: (runs: Page) => RunBatch,
): AsyncGenerator<RunBatch> {
  let runs: SourceObject[] = [];
  for await (const page of pages) {
    runs.push(...page.filter(isWanted));
    for (; runs.length >= RUNS_TOGETHER; runs = runs.slice(RUNS_TOGETHER)) yield batch(runs.slice(0, RUNS_TOGETHER));
  }
  if (runs.length > 0) yield batch(runs);
}

/** Requests the next batch from the source while the previous one is stored. */
async function* oneAhead(batches: AsyncGenerator<RunBatch>): AsyncGenerator<RunBatch> {
  let coming = batches.next();
  for (;;) {
    const { value, done } = await coming;
    if (done) return;
    coming = batches.next();
    // A failure is thrown where the batch is awaited.
    coming.catch(() => {});
    yield value;
  }
}

function windowFrom(since: Timestamp): object {
  return { expected_start_time: { after_: wireTimestamp(since) } };
}

/**
 * All pages of a list, ordered by a time. Each page starts at the time of the last object, so that the source does not
 * read all earlier objects for each page.
 */
async function* inOrderOf(
  field: string,
  read: (after: string | undefined, offset: number) => Promise<SourceObject[]>,
  size: number,
  from?: string,
): AsyncGenerator<Page> {
  let after = from;
  let offset = 0;
  /** Objects of that time that have already been read. */
  let seen = new Set<unknown>();
  for (;;) {
    const page = await read(after, offset);
    const more = page.filter(({ id }) => !seen.has(id));
    if (more.length > 0) yield more;
    if (page.length < size) return;
    const last = String(page.at(-1)?.[field]);
    if (last === after) offset += page.length;
    else [after, offset, seen] = [last, 0, new Set()];
    for (const object of page) if (object[field] === last) seen.add(object['id']);
  }
}
