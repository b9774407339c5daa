/**
 * Actions of this process that are being sent to other servers. They run beside the passes of the service, so that a
 * target that does not answer delays no other action. Both the total and the number per block are bounded.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Hub } from '../../../changes/hub.ts';
import type { Capacity } from '../../../fairness/capacity.ts';
import { Gate } from '../../../fairness/gate.ts';
import { newId } from '../../../values/id.ts';
import type { Busy } from './queue.ts';

const MAX_UNDER_WAY_FOR_BLOCK = 4;
/** Seconds that all requests of one action may take together. */
const MAX_ACTION_SECONDS = 60;
/**
 * Seconds after which a started action counts as lost with its process. This is well above the time limit of an action,
 * so the clocks of replicas may differ by a minute.
 */
export const LOST_AFTER_SECONDS = 180;

export class Outgoing {
  /** Identifies this process in the rows of the actions that it started. */
  readonly holder = newId();
  readonly #underWay = new Set<Promise<void>>();
  readonly #gate: Gate;
  readonly #ending = new AbortController();
  /** Workspaces with actions that wait for a place. */
  readonly #waiting = new Set<number>();
  readonly #hub: Hub;

  constructor(hub: Hub, { outgoingActions }: Pick<Capacity, 'outgoingActions'>) {
    this.#hub = hub;
    this.#gate = new Gate({
      name: 'outgoing actions',
      places: outgoingActions,
      levels: [{ most: MAX_UNDER_WAY_FOR_BLOCK }],
    });
  }

  /** The actions that must wait. */
  busy(): Busy {
    return { outgoing: this.#gate.isFull || this.#ending.signal.aborted, blocks: this.#gate.fullShares() };
  }

  /** Wakes the service for the workspace once an action has ended. */
  wakeLater(workspace: number): void {
    this.#waiting.add(workspace);
  }

  /** `work` must end soon after its signal, and must not throw. */
  start(block: string, work: (signal: AbortSignal) => Promise<void>): void {
    const limit = AbortSignal.any([AbortSignal.timeout(MAX_ACTION_SECONDS * 1000), this.#ending.signal]);
    const release = this.#gate.takeAnyway([block]);
    const ended = work(limit).finally(() => {
      release();
      this.#underWay.delete(ended);
      for (const workspace of this.#waiting) this.#hub.tell('work', 'actions', workspace);
      this.#waiting.clear();
    });
    this.#underWay.add(ended);
  }

  /** Resolves when no action is running. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Waits that many seconds for running actions, then aborts them. */
  async stop(graceSeconds: number): Promise<void> {
    const waiting = new AbortController();
    const grace = delay(graceSeconds * 1000, undefined, { signal: waiting.signal }).catch(() => {});
    await Promise.race([this.settled(), grace]);
    waiting.abort();
    this.#ending.abort();
    await this.settled();
  }
}
