/**
 * Events of a proactive trigger that only count, kept for a while: they may come before the event that opens the window in
 * which they lie, or be counted in a window that is moved later. Source: the Prefect server 3.9.1.
 */
import type { HeldEvents, ObservedEvent } from './bucket.ts';
import type { CompiledEventTrigger } from './compile.ts';

/** Events are held for this time at least, and as long as a window of their trigger is. */
export const HELD_SECONDS = 30 * 60;
/** Of each stretch as long as a window, as many first and as many last events are kept as the threshold asks for, up to this number. */
const MOST_OF_STRETCH = 1000;

export interface HeldEvent {
  readonly id: string;
  /** Microseconds since 1970. */
  readonly occurred: number;
}

/** Those of one key, as far as a pass needs them. */
export class HeldOfKey implements HeldEvents {
  readonly #occurred = new Map<string, number>();
  readonly #added: HeldEvent[] = [];

  /** Of this pass. */
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

/** A stretch of time, as long as a window, with what is kept of it. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  /** So many of the first events, and so many of the last. */
  readonly kept: number;
}

/** The stretches in which events lie. */
export function stretchesOf({ rule }: CompiledEventTrigger, events: readonly HeldEvent[]): Stretch[] {
  const { withinMicroseconds, threshold } = rule;
  const numbers = new Set(events.map(({ occurred }) => Math.floor(occurred / withinMicroseconds)));
  return [...numbers].map((number) => ({
    start: number * withinMicroseconds,
    end: (number + 1) * withinMicroseconds,
    kept: Math.min(threshold, MOST_OF_STRETCH),
  }));
}

/** Events before this time can no longer lie in a window that opens. */
export function oldestHeld({ rule }: CompiledEventTrigger, events: readonly HeldEvent[]): number {
  const newest = Math.max(...events.map(({ occurred }) => occurred));
  return newest - Math.max(HELD_SECONDS * 1_000_000, rule.withinMicroseconds);
}
