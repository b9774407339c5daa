/** One pass in memory: takes events and returns changed buckets and firings. */
import { createHash } from 'node:crypto';
import { matchesWithin, type WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import { MatchedText } from '../../../fairness/foreign-work/glob.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { jsonTextOf } from '../../../values/json.ts';
import { type Bucket, bucketFrom, holdsEvents, type Outcome, observeEvent, passTime } from './bucket.ts';
import { type CompiledEventTrigger, type LabelledEvent, type TriggerSet, triggeringLabels } from './compile.ts';
import type { ChildFirings } from './composite.ts';
import type { Firing } from './firing.ts';
import { type HeldEvent, HeldOfKey } from './held-events.ts';

export interface QueuedEvent extends LabelledEvent {
  readonly id: string;
  /** Microseconds since 1970. */
  readonly occurred: number;
}

/** An event that concerns a trigger. */
export interface Sighting {
  readonly trigger: CompiledEventTrigger;
  readonly event: QueuedEvent;
  readonly labels: Readonly<Record<string, string>>;
  readonly key: BucketKey;
  /** The role of the event for the trigger, by its name. */
  readonly opens: boolean;
  readonly counts: boolean;
}

export interface BucketKey {
  readonly trigger_id: string;
  /** A digest that distinguishes the values of `for_each`, of a length that an index accepts. */
  readonly key_digest: string;
  /** The labels of `for_each` with their values. */
  readonly bucketing_key: string;
}

const LONGEST_DIGEST = 200;

export function bucketKey(trigger: CompiledEventTrigger, labels: Readonly<Record<string, string>>): BucketKey {
  const bucketing_key = jsonTextOf(labels);
  const key_digest =
    bucketing_key.length <= LONGEST_DIGEST
      ? bucketing_key
      : `sha256:${createHash('sha256').update(bucketing_key).digest('hex')}`;
  return { trigger_id: trigger.id, key_digest, bucketing_key };
}

/** The triggers that an event concerns, except those that take more than a part of `work`. */
export function sightingsOf(triggers: TriggerSet, event: QueuedEvent, work: WorkAllowance): Sighting[] {
  const sightings: Sighting[] = [];
  for (const trigger of triggers.ofName(event.name)) {
    let opens = false;
    let counts = false;
    const isConcerned = matchesWithin(() => {
      const part = work.part();
      const name = new MatchedText(event.name, part);
      counts = trigger.counts(name);
      opens = trigger.opens(name);
      return (counts || opens) && trigger.matches(event, part);
    });
    if (!isConcerned) continue;
    const labels = triggeringLabels(trigger.forEach, event);
    sightings.push({ trigger, event, labels, key: bucketKey(trigger, labels), opens, counts });
  }
  return sightings;
}

interface KeptBucket {
  readonly key: BucketKey;
  readonly trigger: CompiledEventTrigger;
  readonly labels: Readonly<Record<string, string>>;
  readonly held: HeldOfKey;
  isStored: boolean;
  bucket: Bucket | undefined;
  isChanged: boolean;
}

/** The held events of one key that a pass may need. */
export interface HeldRange {
  readonly key: BucketKey;
  /** Microseconds since 1970; `until` is exclusive. */
  readonly since: number;
  readonly until: number;
}

/** The ranges of held events that these sightings may need. */
export function heldRanges(sightings: readonly Sighting[]): HeldRange[] {
  const ranges = new Map<string, HeldRange>();
  for (const { trigger, key, event, opens } of sightings) {
    if (!holdsEvents(trigger.rule)) continue;
    const id = idOf(key);
    const { since, until } = ranges.get(id) ?? { since: event.occurred, until: event.occurred };
    const end = event.occurred + (opens ? trigger.rule.withinMicroseconds : 1);
    ranges.set(id, { key, since: Math.min(since, event.occurred), until: Math.max(until, end) });
  }
  return [...ranges.values()];
}

/** A bucket as read from the database. */
export interface StoredBucket extends Bucket {
  readonly key: BucketKey;
}

export class Evaluation {
  /** Firings of outermost triggers, in their order. */
  readonly firings: Firing[] = [];
  readonly #buckets = new Map<string, KeptBucket>();
  readonly #children: ChildFirings;
  #lastTriggered: number;

  /** `now` in microseconds; firings get times from then on, each later than the one before. */
  constructor(children: ChildFirings, now: number) {
    this.#children = children;
    this.#lastTriggered = now - 1;
  }

  /** Later firings are not earlier than `now`. */
  advance(now: number): void {
    this.#lastTriggered = Math.max(this.#lastTriggered, now - 1);
  }

  /** The end of the first window of this trigger after `now`; undefined if there is none. */
  nextEnd(trigger: CompiledEventTrigger, now: number): number | undefined {
    let first: number | undefined;
    for (const { bucket, trigger: other } of this.#buckets.values()) {
      if (bucket && other === trigger && bucket.end > now && (first === undefined || bucket.end < first)) {
        first = bucket.end;
      }
    }
    return first;
  }

  addStored(trigger: CompiledEventTrigger, labels: Readonly<Record<string, string>>, stored: StoredBucket): void {
    const { key, ...bucket } = stored;
    const kept = this.#bucketOf(key, trigger, labels);
    if (kept.isStored || kept.isChanged) return;
    kept.isStored = true;
    kept.bucket = bucket;
  }

  addHeld(trigger: CompiledEventTrigger, labels: Readonly<Record<string, string>>, key: BucketKey, event: HeldEvent) {
    this.#bucketOf(key, trigger, labels).held.addStored(event);
  }

  observe({ trigger, event, labels, key, opens, counts }: Sighting): void {
    const observed = { id: event.id, occurred: event.occurred, opens, counts };
    const kept = this.#bucketOf(key, trigger, labels);
    this.#take(kept, observeEvent(trigger.rule, kept.bucket, observed, kept.held));
  }

  /** Advances the buckets of these proactive triggers to `now`; overdue ones were loaded before. */
  passTime(triggers: ReadonlySet<CompiledEventTrigger>, now: number): void {
    const found = [...this.#buckets.values()].flatMap((kept) =>
      kept.bucket && triggers.has(kept.trigger) ? [{ kept, bucket: kept.bucket }] : [],
    );
    // The bucket that began first fires first.
    for (const { kept, bucket } of found.sort((one, other) => one.bucket.start - other.bucket.start)) {
      const outcome = passTime(kept.trigger.rule, bucket, now, kept.held);
      if (outcome.bucket !== bucket) this.#take(kept, outcome);
    }
  }

  /** Opens a window of a trigger that does not group events by a key. */
  open(trigger: CompiledEventTrigger, now: number): void {
    const kept = this.#bucketOf(bucketKey(trigger, {}), trigger, {});
    if (!kept.bucket) this.#take(kept, { bucket: bucketFrom(trigger.rule, now, kept.held), fired: [] });
  }

  /** The buckets to write. */
  changedBuckets(): { readonly kept: readonly (readonly [KeptBucket, Bucket])[]; readonly gone: readonly BucketKey[] } {
    const changed = [...this.#buckets.values()].filter(({ isChanged }) => isChanged);
    return {
      kept: changed.flatMap((one) => (one.bucket ? [[one, one.bucket] as const] : [])),
      gone: changed.filter(({ bucket, isStored }) => !bucket && isStored).map(({ key }) => key),
    };
  }

  /** The events that this pass held, by key. */
  heldEvents(): readonly {
    readonly key: BucketKey;
    readonly trigger: CompiledEventTrigger;
    readonly events: readonly HeldEvent[];
  }[] {
    return [...this.#buckets.values()].flatMap(({ key, trigger, held }) =>
      held.added.length > 0 ? [{ key, trigger, events: held.added }] : [],
    );
  }

  #bucketOf(key: BucketKey, trigger: CompiledEventTrigger, labels: Readonly<Record<string, string>>): KeptBucket {
    const id = idOf(key);
    let kept = this.#buckets.get(id);
    if (!kept) {
      kept = { key, trigger, labels, held: new HeldOfKey(), isStored: false, bucket: undefined, isChanged: false };
      this.#buckets.set(id, kept);
    }
    return kept;
  }

  #take(kept: KeptBucket, { bucket, fired }: Outcome): void {
    if (bucket !== kept.bucket) kept.isChanged = true;
    kept.bucket = bucket;
    for (const eventId of fired) this.#fire(kept.trigger, kept.labels, eventId);
  }

  #fire(trigger: CompiledEventTrigger, labels: Readonly<Record<string, string>>, eventId: string | null): void {
    let firing = this.#firing({ trigger, labels, eventId, children: [] });
    while (firing.trigger.parent) {
      const { parent } = firing.trigger;
      const children = this.#children.add(parent, firing);
      if (!children) return;
      firing = this.#firing({ trigger: parent, labels: {}, eventId: firing.eventId, children });
    }
    this.firings.push(firing);
  }

  #firing(parts: Omit<Firing, 'id' | 'triggered'>): Firing {
    this.#lastTriggered++;
    return { id: newTimeOrderedId(), triggered: this.#lastTriggered, ...parts };
  }
}

function idOf({ trigger_id, key_digest }: BucketKey): string {
  return `${trigger_id} ${key_digest}`;
}
