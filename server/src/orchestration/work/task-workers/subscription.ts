/** One connection of a task worker: runs are sent one at a time, the next after the previous one is confirmed. */

import type { Context } from '../../../context/context.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { attempt, guarded } from '../../../watching/background.ts';
import type { TaskRunWithState } from '../../runs/task-runs/queries.ts';
import { type Claim, claimTaskRun, confirmTaskRun, keepTaskRun, releaseTaskRun } from './queue.ts';
import { forgetTaskWorker, noteTaskWorker } from './workers.ts';

/** Milliseconds between checks for runs that another replica received or that a crash left behind. */
const LOOK_MILLISECONDS = 2000;
/** Checks between two renewals of the connection. */
const LOOKS_PER_SIGN = 5;

interface SubscriptionTarget {
  context(): Context;
  send(run: TaskRunWithState): void;
}

export class TaskSubscription {
  readonly #target: SubscriptionTarget;
  readonly #identifier: string;
  /** The keys in rotation: the key of the last sent run is at the end. */
  #keys: readonly string[];
  readonly #id = newTimeOrderedId();
  readonly #unsubscribe: () => void;
  readonly #timer: NodeJS.Timeout;
  /** The run that was sent and is not yet confirmed. */
  #claim: Claim | undefined;
  #isConfirmed = false;
  #isClosed = false;
  #looks = 0;
  /** The writes and checks in progress, one after the other. */
  #work: Promise<void> = Promise.resolve();
  #isLooking = false;

  constructor(target: SubscriptionTarget, identifier: string, keys: readonly string[]) {
    this.#target = target;
    this.#identifier = identifier;
    this.#keys = [...new Set(keys)];
    const wanted = new Set(keys);
    const context = target.context();
    this.#unsubscribe = context.server.hub.hear(
      'queuedTasks',
      context.workspace,
      ({ task_key }) => {
        if (wanted.has(task_key)) this.#look();
      },
      context,
    );
    this.#timer = setInterval(
      guarded('a check of queued task runs', () => this.#tick()),
      LOOK_MILLISECONDS,
    );
    this.#timer.unref();
    this.#do((context) => noteTaskWorker(context, this.#connection()));
    this.#look();
  }

  /** Confirms the last sent run. Does nothing when no run is out. */
  confirm(): void {
    if (!this.#claim || this.#isConfirmed) return;
    this.#isConfirmed = true;
    this.#do(() => this.#settleClaim());
    this.#look();
  }

  /** Resolves when all messages so far have taken effect. */
  settled(): Promise<void> {
    return this.#work;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#unsubscribe();
    clearInterval(this.#timer);
    this.#do(() => this.#settleClaim());
    this.#do((context) => forgetTaskWorker(context, this.#id));
  }

  #connection() {
    return { id: this.#id, identifier: this.#identifier, task_keys: this.#keys };
  }

  #tick(): void {
    if (++this.#looks % LOOKS_PER_SIGN === 0) {
      this.#do(async (context) => {
        await noteTaskWorker(context, this.#connection());
        if (this.#claim && !this.#isConfirmed) await keepTaskRun(context, this.#claim);
      });
    }
    if (this.#isConfirmed) this.#do(() => this.#settleClaim());
    this.#look();
  }

  /** Removes a confirmed run from the queue; when the connection ends, returns an unconfirmed run. */
  async #settleClaim(): Promise<void> {
    const claim = this.#claim;
    if (!claim || (!this.#isConfirmed && !this.#isClosed)) return;
    const context = this.#target.context();
    await (this.#isConfirmed ? confirmTaskRun(context, claim) : releaseTaskRun(context, claim));
    this.#claim = undefined;
    this.#isConfirmed = false;
  }

  /** Sends the next run, unless one is out. Requests before a check starts share that check. */
  #look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#do(async (context) => {
      this.#isLooking = false;
      if (this.#claim || this.#isClosed) return;
      const run = await claimTaskRun(context, this.#keys, this.#id);
      if (!run) return;
      this.#claim = { id: run.id, claim: this.#id };
      this.#keys = [...this.#keys.filter((key) => key !== run.task_key), run.task_key];
      if (this.#isClosed) await this.#settleClaim();
      else this.#target.send(run);
    });
  }

  /** A failed step is repeated at the next tick; a claim that cannot be returned expires. */
  #do(step: (context: Context) => Promise<void>): void {
    this.#work = this.#work.then(() => attempt('the queue of background tasks', () => step(this.#target.context())));
  }
}
