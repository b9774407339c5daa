/** One pass in memory: takes events, returns changed buckets and firings. */
import { createHash } from 'node:crypto';
import { matchesWithin, type WorkAllowance } from '../../../foreign-work/allowance.ts';
import { MatchedText } from '../../../foreign-work/glob.ts';
import { newTimeOrderedId } from '../../../id.ts';
import { jsonTextOf } from '../../../json.ts';
import { type Bucket, bucketFrom, type Outcome, observeEvent, passTime } from './bucket.ts';
import { type CompiledEventTrigger, type LabelledEvent, type TriggerSet, triggeringLabels } from './compile.ts';
import type { ChildFirings } from './composite.ts';
import type { Firing } from './firing.ts';

export interface QueuedEvent extends LabelledEvent {
  readonly id: string;
  /** Microseconds since 1970. */
  readonly occurred: number;
}

/** An event that a trigger is interested in. */
export interface Sighting {
  readonly trigger: CompiledEventTrigger;
  readonly event: QueuedEvent;
  readonly labels: Readonly<Record<string, string>>;
  readonly key: BucketKey;
  /** What the trigger makes of the event's name. */
  readonly opens: boolean;
  readonly counts: boolean;
}

export interface BucketKey {
  readonly trigger_id: string;
  /** Tells the values of `for_each` apart, in a length that an index takes. */
  readonly key_digest: string;
  /** The labels of `for_each` with their values. */
  readonly bucketing_key: string;
}

const LONGEST_DIGEST = 200;

function bucketKey(trigger: CompiledEventTrigger, labels: Readonly<Record<string, string>>): BucketKey {
  const bucketing_key = jsonTextOf(labels);
  const key_digest =
    bucketing_key.length <= LONGEST_DIGEST
      ? bucketing_key
      : `sha256:${createHash('sha256').update(bucketing_key).digest('hex')}`;
  return { trigger_id: trigger.id, key_digest, bucketing_key };
}

/** The triggers that an event concerns. One that takes more than a part of `work` is not among them. */
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
  readonly isStored: boolean;
  bucket: Bucket | undefined;
  isChanged: boolean;
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

  /** `now` in microseconds; firings get times from there on, each later than the one before. */
  constructor(children: ChildFirings, now: number) {
    this.#children = children;
    this.#lastTriggered = now - 1;
  }

  /** Firings from here on are not earlier than `now`. */
  advance(now: number): void {
    this.#lastTriggered = Math.max(this.#lastTriggered, now - 1);
  }

  /** When the first open window of a proactive trigger ends; undefined when none is open. */
  nextEnd(): number | undefined {
    let first: number | undefined;
    for (const { bucket, trigger } of this.#buckets.values()) {
      if (bucket && trigger.rule.isProactive && (first === undefined || bucket.end < first)) first = bucket.end;
    }
    return first;
  }

  addStored(trigger: CompiledEventTrigger, labels: Readonly<Record<string, string>>, stored: StoredBucket): void {
    const { key, ...bucket } = stored;
    const id = idOf(key);
    if (this.#buckets.has(id)) return;
    this.#buckets.set(id, { key, trigger, labels, isStored: true, bucket, isChanged: false });
  }

  observe({ trigger, event, labels, key, opens, counts }: Sighting): void {
    const observed = { id: event.id, occurred: event.occurred, opens, counts };
    const kept = this.#bucketOf(key, trigger, labels);
    this.#take(kept, observeEvent(trigger.rule, kept.bucket, observed));
  }

  /** Fires the proactive triggers whose windows are over at `now`. Their buckets were added before. */
  passTime(now: number): void {
    for (const kept of [...this.#buckets.values()]) {
      if (!kept.bucket || !kept.trigger.rule.isProactive) continue;
      const outcome = passTime(kept.trigger.rule, kept.bucket, now);
      if (outcome.bucket !== kept.bucket) this.#take(kept, outcome);
    }
  }

  /** Opens the first window of a trigger that waits for no event. */
  open(trigger: CompiledEventTrigger, now: number): void {
    const kept = this.#bucketOf(bucketKey(trigger, {}), trigger, {});
    if (!kept.bucket) this.#take(kept, { bucket: bucketFrom(trigger.rule, now), fired: [] });
  }

  /** The buckets to write. */
  changedBuckets(): { readonly kept: readonly (readonly [KeptBucket, Bucket])[]; readonly gone: readonly BucketKey[] } {
    const changed = [...this.#buckets.values()].filter(({ isChanged }) => isChanged);
    return {
      kept: changed.flatMap((one) => (one.bucket ? [[one, one.bucket] as const] : [])),
      gone: changed.filter(({ bucket, isStored }) => !bucket && isStored).map(({ key }) => key),
    };
  }

  #bucketOf(key: BucketKey, trigger: CompiledEventTrigger, labels: Readonly<Record<string, string>>): KeptBucket {
    const id = idOf(key);
    let kept = this.#buckets.get(id);
    if (!kept) {
      kept = { key, trigger, labels, isStored: false, bucket: undefined, isChanged: false };
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
