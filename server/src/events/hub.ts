import type { Row } from '../database/tables/tables.ts';
import { Unavailable } from '../errors.ts';
import { WorkAllowance } from '../fairness/foreign-work/allowance.ts';
import { nextTurn, TURN_MILLISECONDS } from '../fairness/turns.ts';
import { guarded, inBackground } from '../watching/background.ts';
import type { LiveFrame } from './live-frame.ts';

export type StoredEvent = Row<'event'>;
export type StoredLog = Row<'log'>;

/** `work` is the allowance that all listeners of one caller share for the item. */
type Listener<T> = (item: T, work: WorkAllowance) => void;

/** The workspace and the caller of a listener. A `Context` is a Subscriber. */
export interface Subscriber {
  readonly workspace: number;
  readonly caller: string;
}

/** Topics of the hub and their messages. */
interface Topics {
  events: StoredEvent;
  logs: StoredLog;
  /** Notifications of changes, for pages that show them: one message for all readers. */
  changes: LiveFrame;
  /** Background task runs that started to wait for a task worker. */
  queuedTasks: { readonly task_key: string };
  /** Requests to the workers of a pool that started to wait for a worker. */
  cleanups: { readonly work_pool_id: string };
}

/** A caller is disconnected when more characters than this wait for its listeners. */
const MOST_WAITING = 16 * 1024 * 1024;
/** Size of an item besides its texts. */
const ITEM_SIZE = 256;

/**
 * Passes committed records to the live streams of this process. Publishing never waits and never throws. Callers take
 * turns, one listener and one item at a time, and each turn of the event loop is bounded: a caller with many listeners
 * or costly filters delays only its own streams.
 */
export class EventHub {
  readonly #lanes = new Map<keyof Topics, unknown>();
  /** Lanes with undelivered items; the next one comes first. */
  readonly #waiting = new Set<{ step(): boolean }>();
  readonly #elapsed: () => number;
  #published = 0;
  /** Milliseconds left of this turn of the event loop; undefined if nothing was delivered in it. */
  #left: number | undefined;
  #isTelling = false;

  /** `elapsed` is a clock in milliseconds. */
  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  publish<Topic extends keyof Topics>(topic: Topic, workspace: number, items: readonly Topics[Topic][]): void {
    const lanes = this.#lanesOf(topic).get(workspace);
    if (!lanes || items.length === 0) return;
    const told = items.map((item) => ({ item, size: ITEM_SIZE + sizeOf(item), order: ++this.#published }));
    for (const lane of lanes.values()) {
      lane.add(told);
      this.#waiting.add(lane);
    }
    this.#tell();
  }

  /**
   * `end` is called when the listener fails, or with Unavailable when it is too far behind. Returns a function that
   * stops listening.
   */
  subscribe<Topic extends keyof Topics>(
    topic: Topic,
    { workspace, caller }: Subscriber,
    given: Listener<Topics[Topic]>,
    end: (error: unknown) => void = () => {},
  ): () => void {
    const listener: Listener<Topics[Topic]> = guarded(`a live stream of ${topic}`, given, end);
    const inTopic = this.#lanesOf(topic);
    const lanes = inTopic.get(workspace) ?? new Map<string, Lane<Topics[Topic]>>();
    inTopic.set(workspace, lanes);
    const lane = lanes.get(caller) ?? new Lane<Topics[Topic]>();
    lanes.set(caller, lane);
    const subscription = { listener, end, since: this.#published };
    lane.subscriptions.add(subscription);
    return () => {
      lane.subscriptions.delete(subscription);
      if (lane.subscriptions.size > 0 || lanes.get(caller) !== lane) return;
      lanes.delete(caller);
      if (lanes.size === 0 && inTopic.get(workspace) === lanes) inTopic.delete(workspace);
    };
  }

  /** Delivers waiting items, as many as this turn allows; the rest follows later. */
  #tell(): void {
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
      if (this.#waiting.size > 0) this.#tell();
    };
    // If that fails, the next item starts it again.
    inBackground('the next turn of live streams', next, () => {
      this.#left = undefined;
    });
  }

  #lanesOf<Topic extends keyof Topics>(topic: Topic): Map<number, Map<string, Lane<Topics[Topic]>>> {
    const lanes = this.#lanes.get(topic) ?? new Map();
    this.#lanes.set(topic, lanes);
    return lanes as Map<number, Map<string, Lane<Topics[Topic]>>>;
  }
}

interface Told<T> {
  readonly item: T;
  readonly size: number;
  readonly order: number;
}

interface Subscription<T> {
  readonly listener: Listener<T>;
  readonly end: (error: unknown) => void;
  /** The number of the last item that was published before this listener subscribed. */
  readonly since: number;
}

/** The listeners of one caller, and the items that they have not received. */
class Lane<T> {
  readonly subscriptions = new Set<Subscription<T>>();
  #items: Told<T>[] = [];
  #size = 0;
  /** Listeners that have not received the first item yet. */
  #listening: Iterator<Subscription<T>> | undefined;
  #work = new WorkAllowance();

  add(items: readonly Told<T>[]): void {
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
        value.listener(told.item, this.#work);
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
export function sizeOf(item: object): number {
  let size = 0;
  for (const value of Object.values(item)) if (typeof value === 'string') size += value.length;
  return size;
}
