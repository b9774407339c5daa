/**
 * Lets transactions of one workspace that arrive together share a connection and a commit: their queries are sent in one
 * write and answered in one read, and the disk is waited for once. Each runs as it would alone, on rows that no other of
 * them locks. When one of them has to be undone, all are, and each then runs alone.
 */
import { Unavailable } from '../../errors.ts';
import { guarded, inBackground } from '../../watching/background.ts';
import type { Requester, Tx } from '../store.ts';
import { NeedsOwnCommit, type PostgresTx } from './transaction.ts';

const NAME = 'writes that share a commit';
/** With more, the first of them would wait long for the last. */
const MOST_TOGETHER = 16;
/** Shared transactions of a workspace at a time: one is prepared while PostgreSQL commits another. */
const MOST_OPEN = 2;

export type Outcome<T> =
  | { readonly value: T }
  /** `isUndone`: nothing of the transaction remains for certain, so it may run again. */
  | { readonly error: unknown; readonly isUndone: boolean };

/** Runs `work`, which stands for a number of writes, in a transaction of the workspace. Rejects if none could begin. */
type Attempt = <T>(
  workspace: number,
  work: (tx: PostgresTx<number>) => Promise<T>,
  writes: number,
  requester: Requester,
) => Promise<Outcome<T>>;

interface Job {
  /** The row that it locks. */
  readonly locks: string;
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly requester: Requester;
  resolve(value: never): void;
  reject(error: unknown): void;
}

interface Line {
  readonly waiting: Job[];
  readonly locked: Set<string>;
  open: number;
}

export class SharedCommits {
  readonly #attempt: Attempt;
  /** The lines of workspaces that write at the moment. */
  readonly #lines = new Map<number, Line>();

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  /** See `Store.sharedTransaction`. */
  add<T>(workspace: number, locks: string, work: (tx: Tx) => Promise<T>, requester: Requester): Promise<T> {
    const line = this.#lines.get(workspace) ?? { waiting: [], locked: new Set(), open: 0 };
    this.#lines.set(workspace, line);
    return new Promise((resolve, reject) => {
      line.waiting.push({ locks, work, requester, resolve, reject });
      // Requests that have arrived in this turn of the event loop join.
      if (line.waiting.length > 1) return;
      const fail = (error: unknown) => rejectAll(line.waiting.splice(0), error);
      setImmediate(guarded(NAME, () => this.#go(workspace, line), fail));
    });
  }

  #go(workspace: number, line: Line): void {
    while (line.open < MOST_OPEN) {
      const jobs = takeGroup(line);
      if (jobs.length === 0) break;
      this.#begin(workspace, line, jobs);
    }
    const isIdle = line.open === 0 && line.waiting.length === 0;
    // The line of a turn that came too late may have a successor.
    if (isIdle && this.#lines.get(workspace) === line) this.#lines.delete(workspace);
  }

  #begin(workspace: number, line: Line, jobs: readonly Job[]): void {
    line.open++;
    const end = () => {
      line.open--;
      for (const { locks } of jobs) line.locked.delete(locks);
      this.#go(workspace, line);
    };
    const commit = async () => {
      await this.#commit(workspace, jobs);
      end();
    };
    inBackground(NAME, commit, (error) => {
      rejectAll(jobs, error);
      end();
    });
  }

  /** Settles all jobs, and never rejects. */
  async #commit(workspace: number, jobs: readonly Job[]): Promise<void> {
    const [only] = jobs;
    if (jobs.length === 1 && only) return this.#commitAlone(workspace, only);
    const { caller, share } = jobs[0]!.requester;
    const work = async (tx: PostgresTx<number>) => {
      // All have ended before the transaction does: a query behind its end would be a transaction of its own.
      const parts = await Promise.allSettled(jobs.map((job) => runPart(tx, job)));
      return parts.map((part) => {
        if (part.status === 'rejected') throw part.reason;
        return part.value;
      });
    };
    const outcome = await this.#attempt(workspace, work, jobs.length, { caller, share }).catch(notBegun);
    const again: Job[] = [];
    for (const [index, job] of jobs.entries()) {
      const end = 'value' in outcome ? outcome.value[index]! : outcome;
      if ('value' in end) job.resolve(end.value as never);
      else if (end.isUndone && mayRunAgain(end.error)) again.push(job);
      else job.reject(end.error);
    }
    await Promise.all(again.map((job) => this.#commitAlone(workspace, job)));
  }

  async #commitAlone(workspace: number, { work, requester, resolve, reject }: Job): Promise<void> {
    const outcome = await this.#attempt(workspace, work, 1, requester).catch(notBegun);
    if ('value' in outcome) resolve(outcome.value as never);
    else reject(outcome.error);
  }
}

const notBegun = (error: unknown) => ({ error, isUndone: true });

function rejectAll(jobs: readonly Job[], error: unknown): void {
  for (const { reject } of jobs) reject(error);
}

/** Runs a job on its part of the transaction. Throws if the others must be undone with it. */
async function runPart(tx: PostgresTx<number>, { work }: Job): Promise<Outcome<unknown>> {
  const part = tx.part();
  try {
    const value = await work(part);
    tx.later(part.settled());
    for (const effect of part.effects) tx.afterCommit(effect);
    return { value };
  } catch (error) {
    if (!part.isClean) throw part.causeOf(error);
    return { error, isUndone: error instanceof NeedsOwnCommit };
  } finally {
    part.end();
  }
}

/** False while the database is away, for which nobody should wait twice. */
function mayRunAgain(error: unknown): boolean {
  return !(error instanceof Unavailable);
}

/** Takes the oldest jobs that lock different rows, none of which a running one locks. */
function takeGroup(line: Line): Job[] {
  const taken: Job[] = [];
  for (let place = 0; place < line.waiting.length && taken.length < MOST_TOGETHER; ) {
    const job = line.waiting[place]!;
    if (line.locked.has(job.locks)) {
      place++;
      continue;
    }
    line.waiting.splice(place, 1);
    if (job.requester.signal?.aborted) {
      job.reject(new Unavailable('The client has disconnected.'));
      continue;
    }
    line.locked.add(job.locks);
    taken.push(job);
  }
  return taken;
}
