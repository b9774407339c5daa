/**
 * Slots of the limits on a task run's tags: one of each limit named `tag:<tag>`, for as long as the task runs. Clients
 * of version 3 take the slots themselves. For task runs that change state through the API, the server takes them here.
 */
import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { heldByTaskRun } from './lease-queries.ts';
import { lockLimits } from './queries.ts';
import { byName, newLease, releaseLease, takeFromLocked, UNTIL_GIVEN_BACK_SECONDS } from './slots.ts';
import { secondsToWait } from './usage.ts';

const PREFIX = 'tag:';

/** The name of the limit on a tag. */
export function limitNameOfTag(tag: string): string {
  return PREFIX + tag;
}

/** The tag that the limit with this name applies to. */
export function tagOfLimitName(name: string): string {
  return name.slice(PREFIX.length);
}

/** `never`: the limit on that tag is 0. `full`: the tags whose limit applies, and the seconds until a retry. */
type TakenTagSlots =
  | { readonly kind: 'taken' }
  | { readonly kind: 'never'; readonly tag: string }
  | { readonly kind: 'full'; readonly tags: readonly string[]; readonly delaySeconds: number };

/** Takes and releases the slots of one task run, in the transaction of its transition. */
export class TagSlots {
  readonly #context: Context;
  readonly #tx: Tx;
  readonly #taskRunId: string;
  readonly #names: readonly string[];
  #taken: string | undefined;

  constructor(context: Context, tx: Tx, taskRunId: string, tags: readonly string[]) {
    this.#context = context;
    this.#tx = tx;
    this.#taskRunId = taskRunId;
    this.#names = tags.map(limitNameOfTag);
  }

  /** Takes a slot of every limit on the run's tags, or none. The run keeps slots that it already holds. */
  async take(): Promise<TakenTagSlots> {
    if (this.#names.length === 0) return { kind: 'taken' };
    const limits = byName(await lockLimits(this.#tx, this.#names)).filter((limit) => limit.active);
    if (limits.length === 0) return { kind: 'taken' };
    const blocked = limits.find((limit) => limit.limit <= 0);
    if (blocked) return { kind: 'never', tag: tagOfLimitName(blocked.name) };
    const { now } = this.#context;
    const live = (await heldByTaskRun(this.#tx, this.#taskRunId, this.#names)).filter((held) => held.expires_at > now);
    const held = new Set(live.map(({ concurrency_limit_id }) => concurrency_limit_id));
    const wanted = limits.filter(({ id }) => !held.has(id));
    if (wanted.length === 0) return { kind: 'taken' };
    const lease = newLease(this.#context, {
      durationSeconds: UNTIL_GIVEN_BACK_SECONDS,
      holder: { type: 'task_run', id: this.#taskRunId },
      takenFor: 'task_run',
    });
    const full = await takeFromLocked(this.#context, this.#tx, wanted, 1, lease);
    if (full.length > 0) {
      const delaySeconds = Math.max(1, Math.round(secondsToWait(full, 1, now)));
      return { kind: 'full', tags: limits.map(({ name }) => tagOfLimitName(name)), delaySeconds };
    }
    this.#taken = lease.id;
    return { kind: 'taken' };
  }

  /** Releases the run's slots on its tags, taken by the client or by the server. */
  async release(): Promise<void> {
    if (this.#names.length === 0) return;
    const held = await heldByTaskRun(this.#tx, this.#taskRunId, this.#names);
    for (const lease of new Set(held.map(({ lease_id }) => lease_id))) {
      await releaseLease(this.#context, this.#tx, lease);
    }
  }

  /** Releases slots taken for a state that was not written. */
  async settle(wasWritten: boolean): Promise<void> {
    if (!wasWritten && this.#taken) await releaseLease(this.#context, this.#tx, this.#taken);
  }
}
