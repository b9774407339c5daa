/**
 * Slows guessing. An attempt is counted in the database before it is checked, so that neither parallel attempts nor
 * several replicas check more than the limit allows. A successful attempt is taken back, so only failures count.
 */
import { sql } from 'kysely';
import { platformStatement } from '../database/statement.ts';
import type { PlatformTx, Store } from '../database/store.ts';
import { hashOfSecret } from '../encryption/secret-hash.ts';
import { TooManyRequests } from '../errors.ts';
import { type Clock, microsecondsOf } from '../values/time.ts';
import { forgetAttempts } from './queries.ts';

/** Allows `atOnce` attempts at once, and one more after each interval. */
export interface Limit {
  readonly name: string;
  readonly atOnce: number;
  readonly everySeconds: number;
}

/** The subject of a limit: an address, an account, or both together. */
export interface CountedAttempt {
  readonly limit: Limit;
  readonly subject: string;
  /** The limit that applies instead when this one is reached. */
  readonly otherwise?: Limit | undefined;
}

/** Attempts that were counted and are being checked. */
export interface Attempt {
  /** Takes the attempt back: it succeeded or was not checked, so it does not count. */
  takeBack(): Promise<void>;
}

const FORGET_MILLISECONDS = 60_000;

const readFullUntil = platformStatement<{ key: string }, { full_until: number }>((query, given) =>
  query.selectFrom('rate').select('full_until').where('key', '=', given.key),
);

/**
 * Returns no row when the limit is reached. The row is locked, so two attempts at once cannot both take the last place.
 */
const count = platformStatement<
  { key: string; now: number; first: number; interval: number; latest: number },
  { full_until: number }
>((query, given) =>
  query
    .insertInto('rate')
    .values({ key: given.key, full_until: given.first })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          full_until: sql<number>`case when rate.full_until > ${given.now} then rate.full_until else ${given.now} end + ${given.interval}`,
        })
        .where('rate.full_until', '<=', given.latest),
    )
    .returning('full_until'),
);

const uncount = platformStatement<{ key: string; interval: number }, unknown>((query, given) =>
  query
    .updateTable('rate')
    .set({ full_until: sql<number>`full_until - ${given.interval}` })
    .where('key', '=', given.key),
);

/** A row that is full for longer than its limit allows was written by a clock that was ahead. */
const lower = platformStatement<{ key: string; full: number }, unknown>((query, given) =>
  query
    .updateTable('rate')
    .set({ full_until: given.full })
    .where('key', '=', given.key)
    .where('full_until', '>', given.full),
);

export class Attempts {
  readonly #store: Store;
  readonly #clock: Clock;
  /** Number of attempts that are being counted, by key. */
  readonly #underWay = new Map<string, number>();
  /** Time of the last deletion of old rows, by the clock's elapsed time in milliseconds. */
  #forgotten = Number.NEGATIVE_INFINITY;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Counts an attempt for each of `counted`. The `otherwise` of an entry applies only if nothing is counted for the
   * first entry. Throws TooManyRequests when one of them is full, and then counts nothing.
   */
  async begin(counted: readonly CountedAttempt[]): Promise<Attempt> {
    this.#enter(counted);
    try {
      return await this.#count(counted);
    } finally {
      for (const one of counted) this.#leave(keyOf(one));
    }
  }

  async #count(given: readonly CountedAttempt[]): Promise<Attempt> {
    const now = this.#milliseconds();
    const [first] = given;
    const mayGoSlowly = first !== undefined && (await this.isUntouched(first));
    const counted = mayGoSlowly ? given : given.map(({ limit, subject }) => ({ limit, subject }));
    // During a flood, a refused attempt costs a read and no write.
    refuseAfter(Math.max(...(await Promise.all(counted.map((one) => this.#wait(one, now))))));
    const taken = await this.#store.platform.transaction(async (tx) => {
      await this.#forget(tx, now);
      const places: CountedAttempt[] = [];
      for (const one of counted) {
        const second = secondOf(one);
        if (await take(tx, one, now)) places.push(one);
        else if (second && (await take(tx, second, now))) places.push(second);
        else refuseAfter(intervalOf(second ?? one));
      }
      return places;
    });
    return {
      takeBack: () =>
        this.#store.platform.transaction(async (tx) => {
          for (const one of taken) await tx.run(uncount, { key: keyOf(one), interval: intervalOf(one) });
        }),
    };
  }

  /**
   * Admits only as many parallel attempts as the limit could count. More would only take database connections from
   * other requests.
   */
  #enter(counted: readonly CountedAttempt[]): void {
    for (const { limit, subject, otherwise } of counted) {
      const places = limit.atOnce + (otherwise?.atOnce ?? 0);
      if ((this.#underWay.get(keyOf({ limit, subject })) ?? 0) >= places) refuseAfter(limit.everySeconds * 1000);
    }
    for (const one of counted) this.#underWay.set(keyOf(one), (this.#underWay.get(keyOf(one)) ?? 0) + 1);
  }

  #leave(key: string): void {
    const left = (this.#underWay.get(key) ?? 0) - 1;
    if (left > 0) this.#underWay.set(key, left);
    else this.#underWay.delete(key);
  }

  /** True when no attempt has failed there for as long as the limit remembers. */
  async isUntouched({ limit, subject }: CountedAttempt): Promise<boolean> {
    const row = await this.#store.platform.reads().first(readFullUntil, { key: keyOf({ limit, subject }) });
    return !row || row.full_until <= this.#milliseconds();
  }

  /** Throws TooManyRequests while the limit is reached. */
  async check(counted: CountedAttempt): Promise<void> {
    refuseAfter(await this.#wait(counted, this.#milliseconds()));
  }

  /** Milliseconds until another attempt is allowed. */
  async #wait(counted: CountedAttempt, now: number): Promise<number> {
    const wait = Math.max(0, (await this.#fullUntil(counted, now)) - latestOf(counted, now));
    const second = secondOf(counted);
    return wait > 0 && second ? Math.min(wait, await this.#wait(second, now)) : wait;
  }

  /** Returns milliseconds since 1970; 0 for a limit that has no row. */
  async #fullUntil(counted: CountedAttempt, now: number): Promise<number> {
    const key = keyOf(counted);
    const full = latestOf(counted, now) + intervalOf(counted);
    const row = await this.#store.platform.reads().first(readFullUntil, { key });
    if (!row || row.full_until <= full) return row?.full_until ?? 0;
    await this.#store.platform.transaction((tx) => tx.run(lower, { key, full }));
    return full;
  }

  async #forget(tx: PlatformTx, now: number): Promise<void> {
    const elapsed = this.#clock.elapsed();
    if (elapsed < this.#forgotten + FORGET_MILLISECONDS) return;
    this.#forgotten = elapsed;
    await tx.run(forgetAttempts, { now });
  }

  #milliseconds(): number {
    return Math.floor(microsecondsOf(this.#clock.now()) / 1000);
  }
}

function secondOf({ otherwise, subject }: CountedAttempt): CountedAttempt | undefined {
  return otherwise && { limit: otherwise, subject };
}

async function take(tx: PlatformTx, counted: CountedAttempt, now: number): Promise<boolean> {
  const interval = intervalOf(counted);
  const given = { key: keyOf(counted), now, first: now + interval, interval, latest: latestOf(counted, now) };
  return (await tx.first(count, given)) !== undefined;
}

/** Stores the attempted text as a hash: it may be a password that was typed into the wrong field. */
function keyOf({ limit, subject }: CountedAttempt): string {
  return `${limit.name}:${hashOfSecret(subject)}`;
}

function intervalOf({ limit }: CountedAttempt): number {
  return Math.round(limit.everySeconds * 1000);
}

function latestOf({ limit }: CountedAttempt, now: number): number {
  return now + (limit.atOnce - 1) * Math.round(limit.everySeconds * 1000);
}

function refuseAfter(milliseconds: number): void {
  if (milliseconds <= 0) return;
  throw new TooManyRequests('Too many failed attempts. Wait, then try again.', Math.ceil(milliseconds / 1000));
}
