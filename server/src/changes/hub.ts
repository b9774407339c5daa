/**
 * Passes committed changes to the parts of the process that depend on them. After its commit, an operation publishes a
 * change under a topic and a subject (a workspace, an MCP server, a service), and each listener to that subject is
 * called, in this process and in the other processes on the database (`replicas.ts`). The others hear a little later, and
 * may miss a change that is not a row, so a part that depends on it also looks at the database.
 */
import type { Row } from '../database/tables/tables.ts';
import { Unavailable } from '../errors.ts';
import { WorkAllowance } from '../fairness/foreign-work/allowance.ts';
import { nextTurn, TURN_MILLISECONDS } from '../fairness/turns.ts';
import type { ServiceName } from '../settings/services.ts';
import { guarded, inBackground } from '../watching/background.ts';
import type { LiveFrame } from './live-frame.ts';

export type StoredEvent = Row<'event'>;
export type StoredLog = Row<'log'>;

/** A change of an MCP server's row, for what depends on it: open streams, connections, processes. */
export type ServerChange =
  | 'policy'
  | 'access'
  | 'connection'
  | 'environment'
  | 'deployment'
  | 'manifest'
  | 'stop'
  | 'start'
  | 'restart'
  | 'deleted';

interface Topic<Subject, What> {
  readonly subject: Subject;
  readonly what: What;
}

/** Each topic with the type of its subject and the type of its messages. */
interface Topics {
  /** By the key of a workspace. */
  events: Topic<number, StoredEvent>;
  logs: Topic<number, StoredLog>;
  /** Changes for pages that show them: one message for all readers. */
  changes: Topic<number, LiveFrame>;
  /** Background task runs that started to wait for a task worker. */
  queuedTasks: Topic<number, { readonly task_key: string }>;
  /** Requests to the workers of a pool that started to wait for a worker. */
  cleanups: Topic<number, { readonly work_pool_id: string }>;
  /**
   * Work for a background service, in a workspace or, when undefined, for the server. A hint: a service that misses one
   * finds the work in its next pass.
   */
  work: Topic<ServiceName, number | undefined>;
  /** By the id of an MCP server. When it is deleted, the open streams of its clients have ended once `tell` returns. */
  servers: Topic<string, ServerChange>;
  /** Requests, output, builds and requests for access at an MCP server, for the pages that show them. */
  activity: Topic<string, 'server_request' | 'server_output' | 'server_build' | 'access_request'>;
  /** Tasks of an MCP server: the id of each as its client has it. */
  tasks: Topic<string, string>;
  /** By the id of a process that began, ended, or reaches the others differently. */
  peers: Topic<string, undefined>;
}

export type TopicName = keyof Topics;
type SubjectOf<Name extends TopicName> = Topics[Name]['subject'];
type WhatOf<Name extends TopicName> = Topics[Name]['what'];

/** Every subject of a topic. */
export const ANY = Symbol('any subject');

/** `work` is the allowance that all listeners of one caller share for the message. */
type Listener<Name extends TopicName> = (what: WhatOf<Name>, subject: SubjectOf<Name>, work: WorkAllowance) => unknown;

type Passing = (topic: TopicName, subject: unknown, whats: readonly unknown[]) => void;

/** The caller for whom a live stream listens. */
interface Reader {
  readonly caller: string;
  /** Called when the listener fails, or with Unavailable when the caller is too far behind. */
  readonly end?: (error: unknown) => void;
}

/** A caller is disconnected when more characters than this wait for its listeners. */
const MOST_WAITING = 16 * 1024 * 1024;
/** Size of an item besides its texts. */
const ITEM_SIZE = 256;

/** The listeners to one subject: parts of the server hear at once, callers take turns. */
interface Listeners {
  readonly parts: Set<Listener<never>>;
  readonly lanes: Map<string, Lane>;
}

/**
 * `tell` never waits and never throws. Live streams of callers take turns, one listener and one item at a time, and
 * each turn of the event loop is bounded: a caller with many listeners or costly filters delays only its own streams.
 */
export class Hub {
  readonly #listeners = new Map<TopicName, Map<unknown, Listeners>>();
  /** Lanes with undelivered items; the next one comes first. */
  readonly #waiting = new Set<Lane>();
  readonly #elapsed: () => number;
  #told = 0;
  #passOn: Passing | undefined;
  /** Milliseconds left of this turn of the event loop; undefined if nothing was delivered in it. */
  #left: number | undefined;
  #isTelling = false;

  /** `elapsed` is a clock in milliseconds. */
  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /** Tells each of `whats`, in their order, here and in other processes. Call it after the commit. */
  tell<Name extends TopicName>(topic: Name, subject: SubjectOf<Name>, ...whats: readonly WhatOf<Name>[]): void {
    if (whats.length === 0) return;
    this.tellHere(topic, subject, ...whats);
    this.#passOn?.(topic, subject, whats);
  }

  /** Sets the function that sends each message to other processes. */
  passOn(pass: Passing): void {
    this.#passOn = pass;
  }

  /** The subjects of a topic that have listeners in this process. */
  subjectsOf<Name extends TopicName>(topic: Name): SubjectOf<Name>[] {
    return [...(this.#listeners.get(topic)?.keys() ?? [])].filter((subject) => subject !== ANY) as SubjectOf<Name>[];
  }

  /** Like `tell`, for this process only. */
  tellHere<Name extends TopicName>(topic: Name, subject: SubjectOf<Name>, ...whats: readonly WhatOf<Name>[]): void {
    const ofTopic = this.#listeners.get(topic);
    if (!ofTopic) return;
    const concerned = [ofTopic.get(subject), ofTopic.get(ANY)].filter((listeners) => listeners !== undefined);
    if (concerned.length === 0) return;
    const work = new WorkAllowance();
    for (const { parts } of concerned) {
      for (const listener of parts) for (const what of whats) (listener as Listener<Name>)(what, subject, work);
    }
    if (!concerned.some(({ lanes }) => lanes.size > 0)) return;
    const told = whats.map((what) => ({ what, subject, size: ITEM_SIZE + sizeOf(what), order: ++this.#told }));
    for (const { lanes } of concerned) {
      for (const lane of lanes.values()) {
        lane.add(told);
        this.#waiting.add(lane);
      }
    }
    this.#deliver();
  }

  /**
   * Calls `listener` with each later message. A part of the server is called before `tell` returns; a stream of a
   * `reader` is called in its turn. Returns a function that stops this.
   */
  hear<Name extends TopicName>(
    topic: Name,
    subject: SubjectOf<Name> | typeof ANY,
    given: Listener<Name>,
    reader?: Reader,
  ): () => void {
    const listener = guarded(
      `a ${reader ? 'live stream' : 'listener'} of ${topic}`,
      given,
      reader?.end,
    ) as Listener<never>;
    const ofTopic = this.#listeners.get(topic) ?? new Map<unknown, Listeners>();
    this.#listeners.set(topic, ofTopic);
    const listeners = ofTopic.get(subject) ?? { parts: new Set(), lanes: new Map() };
    ofTopic.set(subject, listeners);
    const leave = reader ? this.#enterLane(listeners, listener, reader) : enter(listeners.parts, listener);
    return () => {
      leave();
      if (listeners.parts.size + listeners.lanes.size > 0) return;
      if (ofTopic.get(subject) === listeners) ofTopic.delete(subject);
    };
  }

  #enterLane({ lanes }: Listeners, listener: Listener<never>, { caller, end = () => {} }: Reader): () => void {
    const lane = lanes.get(caller) ?? new Lane();
    lanes.set(caller, lane);
    const leave = enter(lane.subscriptions, { listener, end, since: this.#told });
    return () => {
      leave();
      if (lane.subscriptions.size === 0 && lanes.get(caller) === lane) lanes.delete(caller);
    };
  }

  /** Delivers waiting items, as many as this turn allows; the rest follows later. */
  #deliver(): void {
    if (this.#isTelling) return;
    if (this.#left === undefined) this.#beginTurn();
    const began = this.#elapsed();
    const end = began + (this.#left ?? TURN_MILLISECONDS);
    this.#isTelling = true;
    for (let now = began; now < end; now = this.#elapsed()) {
      const [lane] = this.#waiting;
      if (!lane) break;
      this.#waiting.delete(lane);
      if (lane.step()) this.#waiting.add(lane);
    }
    this.#isTelling = false;
    if (this.#left !== undefined) this.#left = end - this.#elapsed();
  }

  #beginTurn(): void {
    this.#left = TURN_MILLISECONDS;
    const next = async () => {
      await nextTurn();
      this.#left = undefined;
      if (this.#waiting.size > 0) this.#deliver();
    };
    // If that fails, the next item starts it again.
    inBackground('the next turn of live streams', next, () => {
      this.#left = undefined;
    });
  }
}

function enter<Entry>(entries: Set<Entry>, entry: Entry): () => void {
  entries.add(entry);
  return () => {
    entries.delete(entry);
  };
}

interface Told {
  readonly what: unknown;
  readonly subject: unknown;
  readonly size: number;
  readonly order: number;
}

interface Subscription {
  readonly listener: Listener<never>;
  readonly end: (error: unknown) => void;
  /** The number of the last item that was told before this listener came. */
  readonly since: number;
}

/** The listeners of one caller, and the items that they have not received. */
class Lane {
  readonly subscriptions = new Set<Subscription>();
  #items: Told[] = [];
  #size = 0;
  /** Listeners that have not received the first item yet. */
  #listening: Iterator<Subscription> | undefined;
  #work = new WorkAllowance();

  add(items: readonly Told[]): void {
    if (this.#size > MOST_WAITING) {
      this.#giveUp();
      return;
    }
    for (const told of items) {
      this.#items.push(told);
      this.#size += told.size;
    }
  }

  /** Delivers one item to one listener. False when nothing is left to deliver. */
  step(): boolean {
    for (let told = this.#items[0]; told; told = this.#items[0]) {
      if (!this.#listening) {
        this.#listening = this.subscriptions.values();
        this.#work = new WorkAllowance();
      }
      const { value, done } = this.#listening.next();
      if (done) {
        this.#items.shift();
        this.#size -= told.size;
        this.#listening = undefined;
      } else if (told.order > value.since) {
        value.listener(told.what as never, told.subject as never, this.#work);
        return true;
      }
    }
    return false;
  }

  #giveUp(): void {
    this.#items = [];
    this.#size = 0;
    this.#listening = undefined;
    for (const { end } of [...this.subscriptions]) end(new Unavailable('Your live streams are too far behind'));
  }
}

/** Characters of the texts of its columns. */
export function sizeOf(item: unknown): number {
  let size = 0;
  if (typeof item !== 'object' || item === null) return size;
  for (const value of Object.values(item)) if (typeof value === 'string') size += value.length;
  return size;
}
