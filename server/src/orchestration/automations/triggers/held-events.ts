/**
 * Events of a proactive trigger that only count, kept for a while: they may arrive before the event that opens their
 * window, or count in a window that is moved later. Source: the Prefect server 3.9.1.
 */
import type { HeldEvents, ObservedEvent } from './bucket.ts';
import type { CompiledEventTrigger } from './compile.ts';

/** Minimum time for which events are held; a longer window of their trigger extends it. */
export const HELD_SECONDS = 30 * 60;
/** Number of first and of last events kept in each stretch as long as a window: the threshold, up to this limit. */
const MOST_OF_STRETCH = 1000;

export interface HeldEvent {
  readonly id: string;
  /** Microseconds since 1970. */
  readonly occurred: number;
}

/** The held events of one key that a pass needs. */
export class HeldOfKey implements HeldEvents {
  readonly #occurred = new Map<string, number>();
  readonly #added: HeldEvent[] = [];

  /** The events that this pass held. */
  get added(): readonly HeldEvent[] {
    return this.#added;
  }

  addStored({ id, occurred }: HeldEvent): void {
    this.#occurred.set(id, occurred);
  }

  hold({ id, occurred }: ObservedEvent): boolean {
    if (this.#occurred.has(id)) return false;
    this.#occurred.set(id, occurred);
    this.#added.push({ id, occurred });
    return true;
  }

  countIn(start: number, end: number): number {
    let count = 0;
    for (const occurred of this.#occurred.values()) if (occurred >= start && occurred < end) count++;
    return count;
  }
}

/** A time span as long as a window, in which a limited number of events is kept. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  /** Number of events kept at the start, and number kept at the end. */
  readonly kept: number;
}

/** The stretches that contain the events. */
export function stretchesOf({ rule }: CompiledEventTrigger, events: readonly HeldEvent[]): Stretch[] {
  const { withinMicroseconds, threshold } = rule;
  const numbers = new Set(events.map(({ occurred }) => Math.floor(occurred / withinMicroseconds)));
  return [...numbers].map((number) => ({
    start: number * withinMicroseconds,
    end: (number + 1) * withinMicroseconds,
    kept: Math.min(threshold, MOST_OF_STRETCH),
  }));
}

/** Events before this time can no longer be in a window that opens. */
export function oldestHeld({ rule }: CompiledEventTrigger, events: readonly HeldEvent[]): number {
  const newest = Math.max(...events.map(({ occurred }) => occurred));
  return newest - Math.max(HELD_SECONDS * 1_000_000, rule.withinMicroseconds);
}
