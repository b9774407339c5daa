import { setTimeout as delay } from 'node:timers/promises';
import { Comparison, ROOT } from './compare/comparison.ts';
import type { Difference } from './compare/difference.ts';
import { Identities } from './compare/identities.ts';
import { microsecondsIn, Times } from './compare/times.ts';
import type { ConversationStep, EventsStep, HttpStep, Step } from './generate/step.ts';
import { isObject, jsonFor, pathFor, type Side, type Symbolic, sides, textFor } from './generate/symbols.ts';
import { restoreParameters } from './schedule-parameters.ts';
import { Slots } from './slots.ts';
import { converse, EventSocket } from './wire/event-socket.ts';
import { type Answer, HttpClient, type Request } from './wire/http-client.ts';
import { isParsedObject, type Parsed, type ParsedObject, readJson } from './wire/json-text.ts';

const CLOCK_TOLERANCE_SECONDS = 10;
/** From this distance of two answers on, the clock times in them may differ as much. */
const LAG_MILLISECONDS = 4000;
/** More than twice the interval at which the reference writes its events. */
const QUIET_MILLISECONDS = 800;
/** Milliseconds before each new try of a step that reads data written in the background. */
const SETTLE_WAITS = [100, 200, 400, 800, 1500, 3000, 6000];
/** An object older than this existed before the request. */
const NEW_MILLISECONDS = 3000;
/** A state whose artifact the reference refuses is written into half of its columns there. */
const HALF_WRITTEN = 'Error validating state: 1 validation error for Artifact';
/**
 * When the database of the reference refuses one of several runs, the answer lists the earlier runs as created, and the
 * reference rolls them back. When its file is locked, or it fails on an invalid schema, it does not create some of
 * them.
 */
const BULK_UNDONE = /\(sqlite3\.(IntegrityError|OperationalError)\)|Failed validating '\w+' in metaschema/;
const SCHEDULED_DEPLOYMENT = /^\/deployments\/([0-9a-f-]{36})\/schedule$/;

export interface StepResult {
  readonly answers: Record<Side, Answer>;
  readonly requests: Record<Side, Request>;
  readonly differences: readonly Difference[];
}

/** Two servers that get the same requests, and the facts that their answers have shown. */
export class Session {
  readonly clients: Record<Side, HttpClient>;
  readonly #sockets: Record<Side, EventSocket>;
  readonly #identities = new Identities();
  readonly #unsettled = new Map<string, number>();
  readonly #times = new Times(CLOCK_TOLERANCE_SECONDS);
  readonly #slots: Slots;

  /** `startedAt` (milliseconds since 1970) is when the first of the servers was started: both filled their databases then. */
  constructor(referenceUrl: string, oursUrl: string, startedAt = Date.now()) {
    this.#times.addSpan(startedAt, Date.now());
    this.clients = { reference: new HttpClient(referenceUrl), ours: new HttpClient(oursUrl) };
    this.#slots = new Slots(this.clients, (id) => this.#identities.counterpart(id));
    this.#sockets = {
      reference: new EventSocket(this.clients.reference.base, '/events/in'),
      ours: new EventSocket(this.clients.ours.base, '/events/in'),
    };
  }

  /** Asks both servers at the same moment. Throws when one of them no longer answers at all. */
  async execute(step: Step): Promise<StepResult> {
    if (step.kind === 'http') return this.#http(step);
    const result = step.kind === 'events' ? await this.#events(step) : await this.#conversation(step);
    const { reference, ours } = result.answers;
    const comparison = new Comparison(this.#identities, this.#times);
    comparison.values(reference.text, ours.text, ROOT);
    return { ...result, differences: comparison.found };
  }

  close(): void {
    for (const side of sides) {
      this.clients[side].close();
      this.#sockets[side].close();
    }
  }

  async #http(step: HttpStep): Promise<StepResult> {
    const requests = bySide((side) => render(step, side));
    this.#rememberSent(step.path.values);
    this.#rememberSent([step.query ?? null, step.body ?? null]);
    if (typeof step.raw === 'string') this.#rememberRaw(step.raw);
    if (step.quiet) await delay(QUIET_MILLISECONDS);
    const slotless = await this.#slots.slotlessRuns(requests.reference);
    const waits = this.#waits(step.route);
    for (const wait of [...waits, undefined]) {
      const mark = this.#identities.mark();
      const answers = await this.#both((side) => this.clients[side].send(requests[side]));
      await this.#checkAlive(answers);
      const comparison = new Comparison(this.#identities, this.#times);
      const bases = [this.clients.reference.base.origin, this.clients.ours.base.origin] as const;
      const differences = comparison.answers(step, answers.reference, answers.ours, bases);
      const isReady = !step.ready || sides.every((side) => step.ready?.(bodyOf(answers[side])));
      const mayChange = !isReady || (step.settle === true && differences.length > 0);
      if (mayChange && wait === undefined) this.#unsettled.set(step.route, (this.#unsettled.get(step.route) ?? 0) + 1);
      if (!mayChange || wait === undefined) {
        if (step.learn && sides.every((side) => answers[side].status >= 200 && answers[side].status < 300)) {
          step.learn(
            bySide((side) => bodyOf(answers[side])),
            (id) => this.#identities.counterpart(id),
          );
        }
        await this.#tidy(step, answers, requests);
        await this.#slots.restore(slotless);
        if (step.path.literals[0]?.startsWith('/v2/concurrency_limits/')) await this.#slots.release(answers);
        if (step.method === 'GET') {
          const paths = bySide((side) => requests[side].path);
          await restoreParameters(this.clients, paths, answers, (id) => this.#identities.counterpart(id));
        }
        await this.#slots.renewLeases(step, answers, requests);
        return { answers, requests, differences };
      }
      this.#identities.rollback(mark);
      await delay(wait);
    }
    throw new Error('unreachable: the last wait is undefined');
  }

  /**
   * Deletes an object that only one server created there, and one that only one server changed on both, so that no
   * later answer differs because of a difference that was already counted.
   */
  async #tidy(step: HttpStep, answers: Record<Side, Answer>, requests: Record<Side, Request>): Promise<void> {
    const remove = (side: Side, path: string) => this.clients[side].send({ method: 'DELETE', path, headers: {} });
    const whole = (one: Side) => requests[one].path.replace(/\/set_state$/, '');
    if (answers.reference.text.includes(HALF_WRITTEN)) await Promise.all(sides.map((one) => remove(one, whole(one))));
    if (/create_flow_run\/bulk$/.test(requests.ours.path) && BULK_UNDONE.test(answers.reference.text)) {
      await this.#deleteUndoneRuns(answers);
    }
    const taken = sides.filter((side) => answers[side].status >= 200 && answers[side].status < 300);
    const [side] = taken;
    if (taken.length !== 1 || side === undefined) return;
    const isChange = ['PATCH', 'PUT'].includes(step.method) || requests[side].path.endsWith('/set_state');
    if (isChange && /^\/(\w+\/[0-9a-f-]{36}|work_pools\/[^/]+)$/.test(whole(side))) {
      if (whole(side) !== requests[side].path) {
        await Promise.all(sides.map((one) => this.#deleteNewResults(one, whole(one))));
      }
      await Promise.all(sides.map((one) => remove(one, whole(one))));
    }
    if (SCHEDULED_DEPLOYMENT.test(requests[side].path)) {
      await Promise.all(sides.map((one) => this.#deleteScheduledRuns(one, requests[one].path)));
    }
    const body = bodyOf(answers[side]);
    if (step.method !== 'POST' || !isParsedObject(body) || !isNew(body)) return;
    const { path: sent } = requests[side];
    const key = sent === '/work_pools/' ? body.name : body.id;
    const collection = /\/create_flow_run$/.test(sent) ? '/flow_runs/' : /^\/\w+\/$/.test(sent) ? sent : undefined;
    if (collection !== undefined && typeof key === 'string') await remove(side, collection + encodeURIComponent(key));
  }

  /** Deletes the artifact of a run's new state: it outlives its run. */
  async #deleteNewResults(side: Side, run: string): Promise<void> {
    const [, kind, id] = /^\/(flow|task)_runs\/(.*)$/.exec(run) ?? [];
    const filter = { artifacts: { [`${kind}_run_id`]: { any_: [id] } }, sort: 'CREATED_DESC', limit: 1 };
    const found = await this.clients[side].send({
      method: 'POST',
      path: '/artifacts/filter',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(filter),
    });
    const artifacts = bodyOf(found);
    for (const artifact of Array.isArray(artifacts) ? artifacts.filter(isParsedObject).filter(isNew) : []) {
      await this.clients[side].send({ method: 'DELETE', path: `/artifacts/${artifact.id}`, headers: {} });
    }
  }

  /** Deletes on ours the runs that the reference does not have, even if it listed them. */
  async #deleteUndoneRuns(answers: Record<Side, Answer>): Promise<void> {
    const made = bySide((side) => runsMadeIn(bodyOf(answers[side])));
    for (const [index, counterpart] of made.ours.entries()) {
      if (counterpart === undefined) continue;
      const id = made.reference[index];
      if (id === undefined || (await this.clients.reference.get(`/flow_runs/${id}`)).status === 404) {
        await this.clients.ours.send({ method: 'DELETE', path: `/flow_runs/${counterpart}`, headers: {} });
      }
    }
  }

  /**
   * Deletes on both servers the scheduled runs of a deployment that only one server scheduled: some may have existed
   * before.
   */
  async #deleteScheduledRuns(side: Side, path: string): Promise<void> {
    const deployment = SCHEDULED_DEPLOYMENT.exec(path)?.[1];
    const state = { type: { any_: ['SCHEDULED'] } };
    const filter = { flow_runs: { deployment_id: { any_: [deployment] }, tags: { all_: ['auto-scheduled'] }, state } };
    await this.clients[side].send({
      method: 'POST',
      path: '/flow_runs/bulk_delete',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(filter),
    });
  }

  /** A route on which waiting did not help several times is wrong, not late: further waits are short. */
  #waits(route: string): readonly number[] {
    return (this.#unsettled.get(route) ?? 0) < 3 ? SETTLE_WAITS : SETTLE_WAITS.slice(0, 2);
  }

  async #events(step: EventsStep): Promise<Omit<StepResult, 'differences'>> {
    this.#rememberSent(step.events);
    const frames = bySide((side) => step.events.map((event) => jsonFor(event, side)));
    const answers = await this.#both(async (side) => socketAnswer(await this.#sockets[side].send(frames[side])));
    const requests = bySide((side) => ({
      method: 'WS',
      path: '/events/in',
      headers: {},
      body: frames[side].join('\n'),
    }));
    return { answers, requests };
  }

  async #conversation(step: ConversationStep): Promise<Omit<StepResult, 'differences'>> {
    const { path, subprotocols, frames, listenSeconds } = step;
    const answers = await this.#both(async (side) =>
      socketAnswer(await converse(this.clients[side].base, path, subprotocols, frames, listenSeconds)),
    );
    const request: Request = { method: 'WS', path, headers: {}, body: frames.join('\n') };
    return { answers, requests: { reference: request, ours: request } };
  }

  async #both(ask: (side: Side) => Promise<Answer>): Promise<Record<Side, Answer>> {
    const start = Date.now();
    const timed = async (side: Side) => ({ answer: await ask(side), end: Date.now() });
    const [reference, ours] = await Promise.all([timed('reference'), timed('ours')]);
    if (Math.abs(reference.end - ours.end) > LAG_MILLISECONDS) {
      this.#times.addLag(start, Math.max(reference.end, ours.end));
    }
    return { reference: reference.answer, ours: ours.answer };
  }

  /** A server that died would differ in every following request: the run stops and reports it. */
  async #checkAlive(answers: Record<Side, Answer>): Promise<void> {
    for (const side of sides) {
      if (answers[side].status !== 0) continue;
      const { status, text } = await this.clients[side].get('/health');
      if (status !== 200) throw new Error(`${side} stopped answering at ${this.clients[side].base.href}: ${text}`);
    }
  }

  /** Remembers texts and times that the client sent, to distinguish them from those that the servers generate. */
  #rememberSent(values: readonly Symbolic[]): void {
    for (const value of values) {
      if (typeof value === 'string') this.#rememberText(value);
      else if (Array.isArray(value)) this.#rememberSent(value);
      else if (isObject(value)) {
        for (const [key, member] of Object.entries(value)) {
          this.#rememberText(key);
          this.#rememberSent([member]);
        }
      }
    }
  }

  #rememberText(text: string): void {
    this.#identities.addSent(text);
    if (microsecondsIn(text) !== undefined) this.#times.addSent(text);
  }

  #rememberRaw(raw: string): void {
    for (const [, text] of raw.matchAll(/"([^"]*)"/g)) this.#rememberText(text as string);
  }
}

/** Also for an object that the reference answers with 200, as if it had existed, although it created it. */
function isNew({ created }: ParsedObject): boolean {
  return typeof created === 'string' && Date.now() - Date.parse(created) < NEW_MILLISECONDS;
}

/** The id of each run that was requested together, undefined where it was refused. */
function runsMadeIn(body: Parsed): readonly (string | undefined)[] {
  const results = isParsedObject(body) && Array.isArray(body.results) ? body.results.filter(isParsedObject) : [];
  return results.map(({ flow_run_id }) => (typeof flow_run_id === 'string' ? flow_run_id : undefined));
}

function bySide<T>(make: (side: Side) => T): Record<Side, T> {
  return { reference: make('reference'), ours: make('ours') };
}

function render(step: HttpStep, side: Side): Request {
  const pairs = Object.entries(step.query ?? {}).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(textFor(value, side).toWellFormed())}`,
  );
  const path = pathFor(step.path, side) + (pairs.length > 0 ? `?${pairs.join('&')}` : '');
  const body = step.raw ?? (step.body === undefined ? undefined : jsonFor(step.body, side));
  const headers = { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...step.headers };
  return { method: step.method, path, headers, ...(body === undefined ? {} : { body }) };
}

function socketAnswer(text: string): Answer {
  return { status: 101, headers: {}, text };
}

function bodyOf(answer: Answer): Parsed {
  const isJson = answer.text !== '' && answer.headers['content-type']?.startsWith('application/json') === true;
  return isJson ? readJson(answer.text) : answer.text;
}
