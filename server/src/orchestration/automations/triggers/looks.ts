/** Decides when the windows of proactive triggers are checked. Source: the Prefect server 3.9.1. */
import type { CompiledEventTrigger } from './compile.ts';

/**
 * The time of the next check of each trigger. Losing it only causes an additional check. Times are microseconds since
 * 1970.
 */
export class Looks {
  readonly #next = new Map<string, number>();

  /** The triggers to check now. */
  due(triggers: readonly CompiledEventTrigger[], now: number): CompiledEventTrigger[] {
    return triggers.filter(({ id }) => (this.#next.get(id) ?? now) <= now);
  }

  /** Notes that a trigger was checked as of `now`; `nextEnd` is the end of its first open window. */
  looked({ id, rule }: CompiledEventTrigger, now: number, nextEnd: number | undefined): void {
    this.#next.set(id, Math.min(now + rule.withinMicroseconds, nextEnd ?? Number.POSITIVE_INFINITY));
  }

  /** The time of the first check of one of the triggers; undefined if there is none. */
  first(triggers: readonly CompiledEventTrigger[]): number | undefined {
    const times = triggers.flatMap(({ id }) => this.#next.get(id) ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Forgets all other triggers. */
  keep(triggers: readonly CompiledEventTrigger[]): void {
    const ids = new Set(triggers.map(({ id }) => id));
    for (const id of this.#next.keys()) if (!ids.has(id)) this.#next.delete(id);
  }
}
