import type { Row } from '../database/tables/tables.ts';
import { Unavailable } from '../errors.ts';
import { WorkAllowance } from '../fairness/foreign-work/allowance.ts';
import { nextTurn, TURN_MILLISECONDS } from '../fairness/turns.ts';
import { guarded, inBackground } from '../watching/background.ts';
import type { LiveFrame } from './live-frame.ts';

export type StoredEvent = Row<'event'>;
export type StoredLog = Row<'log'>;

/** `work` is what all listeners of one caller may spend on the item. */
type Listener<T> = (item: T, work: WorkAllowance) => void;

/** Whose listener it is. A `Context` is one. */
export interface Subscriber {
  readonly workspace: number;
  readonly caller: string;
}

/** Topics of the hub and their messages. */
interface Topics {
  events: StoredEvent;
  logs: StoredLog;
  /** What changed, for pages that show it: one message for all of them. */
  changes: LiveFrame;
  /** Background task runs that began to wait for a task worker. */
  queuedTasks: { readonly task_key: string };
  /** Requests to the workers of a pool that began to wait for one. */
  cleanups: { readonly work_pool_id: string };
}

/** A caller is disconnected when more characters than this wait for its listeners. */
const MOST_WAITING = 16 * 1024 * 1024;
/** What an item counts beside its texts. */
const ITEM_SIZE = 256;

/**
 * Passes committed records to the live streams of this process. Publishing never waits and never throws. Callers take
 * turns, one listener and one item at a time, and a turn of the event loop has a bound: so who listens with much, or with
 * costly filters, keeps only their own streams waiting.
 */
export class EventHub {
  readonly #lanes = new Map<keyof Topics, unknown>();
  /** Those with something to tell; the next comes first. */
  readonly #waiting = new Set<{ step(): boolean }>();
  readonly #elapsed: () => number;
  #published = 0;
  /** What is left of this turn of the event loop; undefined before anything was told in it. */
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
   * `end` ends the stream of a listener that fails, or is too far behind (Unavailable). Returns a function that stops
   * listening.
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

  /** Tells what waits, as much as this turn may take; the rest later. */
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
    // When that fails, the next item sets it going again.
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
  /** The order of the last item that was published before it listened. */
  readonly since: number;
}

/** The listeners of one caller, and what they have not been told. */
class Lane<T> {
  readonly subscriptions = new Set<Subscription<T>>();
  #items: Told<T>[] = [];
  #size = 0;
  /** Those that the first item is still to be told to. */
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

  /** Tells one item to one listener. False when there is nothing to tell. */
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
