/** When the clock looks at the windows of proactive triggers. Source: the Prefect server 3.9.1. */
import type { CompiledEventTrigger } from './compile.ts';

/** The next look at each trigger. Losing it means one more look. Times are microseconds since 1970. */
export class Looks {
  readonly #next = new Map<string, number>();

  /** The triggers to look at now. */
  due(triggers: readonly CompiledEventTrigger[], now: number): CompiledEventTrigger[] {
    return triggers.filter(({ id }) => (this.#next.get(id) ?? now) <= now);
  }

  /** A trigger was looked at as of `now`; `nextEnd` is when its first open window ends. */
  looked({ id, rule }: CompiledEventTrigger, now: number, nextEnd: number | undefined): void {
    this.#next.set(id, Math.min(now + rule.withinMicroseconds, nextEnd ?? Number.POSITIVE_INFINITY));
  }

  /** The first time at which one of the triggers is looked at; undefined without any. */
  first(triggers: readonly CompiledEventTrigger[]): number | undefined {
    const times = triggers.flatMap(({ id }) => this.#next.get(id) ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Forgets all others. */
  keep(triggers: readonly CompiledEventTrigger[]): void {
    const ids = new Set(triggers.map(({ id }) => id));
    for (const id of this.#next.keys()) if (!ids.has(id)) this.#next.delete(id);
  }
}
