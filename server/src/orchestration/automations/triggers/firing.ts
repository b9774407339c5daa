/** Firings that a pass evaluates; `write-firings.ts` stores them. */
import type { CompiledEventTrigger, CompositeTrigger } from './compile.ts';

export interface Firing {
  readonly id: string;
  readonly trigger: CompiledEventTrigger | CompositeTrigger;
  /** Microseconds since 1970; no two firings of a workspace have the same time, which fixes their order. */
  readonly triggered: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly eventId: string | null;
  /** The firings of the parts of a compound or sequence trigger. */
  readonly children: readonly ChildFiring[];
}

/** A firing of this pass, or one that an earlier pass has stored. */
export type ChildFiring = Firing | StoredFiring;

export interface StoredFiring {
  readonly parentId: string;
  readonly childId: string;
  readonly triggered: number;
}
