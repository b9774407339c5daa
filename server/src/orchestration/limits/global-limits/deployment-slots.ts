/**
 * The slot of a deployment's concurrency limit that a flow run holds from PENDING on. It is a lease that the client
 * renews while the run runs. When the client dies, the lease expires and the slot is free again.
 */
import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { type JsonText, parseObject } from '../../../values/json.ts';
import { addSeconds } from '../../../values/time.ts';
import { extendLease, leasesOfFlowRun, liveLeaseOfFlowRun } from './lease-queries.ts';
import { findLimit, lockLimit } from './queries.ts';
import { newLease, releaseLease, takeFromLocked, UNTIL_GIVEN_BACK_SECONDS } from './slots.ts';
import { activeSlots } from './usage.ts';

/** Seconds that a pending run keeps its slot. Source: the setting of the Prefect server, at its default. */
const GRACE_SECONDS = 300;

/** A run and its deployment's concurrency settings; null when the deployment is deleted or has none. */
interface LimitedRun {
  readonly id: string;
  readonly deployment_id: string | null;
  readonly deployment_name: string | null;
  readonly concurrency_limit_id: string | null;
  readonly concurrency_options: JsonText | null;
}

/**
 * `unlimited`: the limit is deleted or inactive, so the run needs no slot. `never`: the limit is 0. Else the lease id.
 */
type TakenSlot = 'unlimited' | 'full' | 'never' | { readonly lease: string };

interface Options {
  readonly collision_strategy?: 'ENQUEUE' | 'CANCEL_NEW';
  readonly grace_period_seconds?: number | null;
}

/** Takes, renews and releases the slot of one run, in the transaction of its transition. */
export class DeploymentSlots {
  readonly #context: Context;
  readonly #tx: Tx;
  readonly #run: LimitedRun;
  readonly #options: Options;
  readonly #taken: string[] = [];

  constructor(context: Context, tx: Tx, run: LimitedRun) {
    this.#context = context;
    this.#tx = tx;
    this.#run = run;
    this.#options = run.concurrency_options === null ? {} : (parseObject(run.concurrency_options) as Options);
  }

  /** True when the run belongs to a deployment that was deleted. */
  get isDeploymentGone(): boolean {
    return this.#run.deployment_id !== null && this.#run.deployment_name === null;
  }

  get isLimited(): boolean {
    return this.#run.concurrency_limit_id !== null;
  }

  /** True when a run that finds no slot is cancelled instead of waiting for one. */
  get cancelsNew(): boolean {
    return this.#options.collision_strategy === 'CANCEL_NEW';
  }

  /** True when the limit is active and all its slots are taken. */
  async areAllTaken(): Promise<boolean> {
    const { concurrency_limit_id } = this.#run;
    if (concurrency_limit_id === null) return false;
    const limit = await findLimit(this.#tx, { id: concurrency_limit_id }, this.#context.now);
    return limit?.active === true && activeSlots(limit, this.#context.now) >= limit.limit;
  }

  /** Takes a slot for the run. A run that already holds one keeps it. */
  async take(): Promise<TakenSlot> {
    const held = await this.renew();
    if (held) return { lease: held };
    const { concurrency_limit_id, id } = this.#run;
    const limit =
      concurrency_limit_id === null ? undefined : await this.#tx.first(lockLimit, { id: concurrency_limit_id });
    if (!limit?.active) return 'unlimited';
    if (limit.limit <= 0) return 'never';
    const lease = newLease(this.#context, {
      durationSeconds: this.#graceSeconds,
      holder: { type: 'flow_run', id },
      takenFor: 'flow_run',
    });
    if ((await takeFromLocked(this.#context, this.#tx, [limit], 1, lease)).length > 0) return 'full';
    this.#taken.push(lease.id);
    return { lease: lease.id };
  }

  /** Extends the run's lease to the grace period from now and returns its id; undefined when it has ended. */
  renew(): Promise<string | undefined> {
    return this.#extend(this.#graceSeconds);
  }

  /** Extends the lease of a client that does not renew leases: the run keeps the slot until it releases it. */
  async keepUntilGivenBack(): Promise<void> {
    await this.#extend(UNTIL_GIVEN_BACK_SECONDS);
  }

  /** Releases every slot that the run holds. */
  async release(): Promise<void> {
    for (const lease of await leasesOfFlowRun(this.#tx, this.#run.id)) {
      await releaseLease(this.#context, this.#tx, lease);
    }
  }

  /** Releases slots taken for a state that was not written. */
  async settle(written: { readonly deployment_concurrency_lease_id?: string | null } | undefined): Promise<void> {
    for (const lease of this.#taken) {
      if (lease !== written?.deployment_concurrency_lease_id) await releaseLease(this.#context, this.#tx, lease);
    }
  }

  get #graceSeconds(): number {
    return this.#options.grace_period_seconds ?? GRACE_SECONDS;
  }

  async #extend(seconds: number): Promise<string | undefined> {
    const { now } = this.#context;
    const lease = await liveLeaseOfFlowRun(this.#tx, this.#run.id, now);
    if (!lease || !(await extendLease(this.#tx, lease, now, addSeconds(now, seconds)))) return undefined;
    return lease;
  }
}
