/** Firings as they are while a pass evaluates; `write-firings.ts` puts them into the database. */
import type { CompiledEventTrigger, CompositeTrigger } from './compile.ts';

export interface Firing {
  readonly id: string;
  readonly trigger: CompiledEventTrigger | CompositeTrigger;
  /** Microseconds since 1970; no two firings of a workspace have the same, so their order is known. */
  readonly triggered: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly eventId: string | null;
  /** What the parts of a compound or sequence trigger did. */
  readonly children: readonly ChildFiring[];
}

/** A firing of this pass, or one that an earlier pass has stored. */
export type ChildFiring = Firing | StoredFiring;

export interface StoredFiring {
  readonly parentId: string;
  readonly childId: string;
  readonly triggered: number;
}
