/**
 * Limits open requests across all processes. A process holds places in the database and renews them; it returns unused
 * places within two seconds, and the places of a dead process become free within half a minute.
 */

import type { PlatformTx, Store } from '../../database/store.ts';
import { lockRate } from '../../rates/queries.ts';
import { newId } from '../../values/id.ts';
import { addSeconds, type Clock, microsecondsOf } from '../../values/time.ts';
import { guarded } from '../../watching/background.ts';
import { countOtherPlaces, deletePlaces, putPlaces } from './queries.ts';

export const LEASE_SECONDS = 30;
const RENEW_MILLISECONDS = 10_000;
const LOOK_MILLISECONDS = 1000;

interface PlaceQuestion {
  readonly serverId: string;
  readonly counter: string;
  readonly limit: number;
}

interface Held {
  readonly serverId: string;
  /** Number of places in the database. */
  places: number;
  used: number;
  /** Time of the renewal, by the clock of this process. */
  renewed: number;
  changing: Promise<boolean> | undefined;
}

export class Places {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #holder = newId();
  readonly #held = new Map<string, Held>();
  readonly #timer: NodeJS.Timeout;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#timer = setInterval(
      guarded('a check of places', () => this.#look()),
      LOOK_MILLISECONDS,
    ).unref();
  }

  /** Returns a function that gives the place back once; undefined when all are taken. */
  async take(question: PlaceQuestion): Promise<(() => void) | undefined> {
    const { counter, limit, serverId } = question;
    const held = this.#held.get(counter) ?? { serverId, places: 0, used: 0, renewed: 0, changing: undefined };
    this.#held.set(counter, held);
    // Taken before the first await, so that `#look` keeps the entry.
    held.used += 1;
    try {
      while (held.used > held.places || held.places > limit) {
        if (held.used > limit) return this.#refuse(held);
        held.changing ??= this.#change(counter, held, limit).finally(() => {
          held.changing = undefined;
        });
        if (!(await held.changing)) return this.#refuse(held);
      }
    } catch (error) {
      held.used -= 1;
      throw error;
    }
    let isBack = false;
    return () => {
      if (!isBack) held.used -= 1;
      isBack = true;
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #refuse(held: Held): undefined {
    held.used -= 1;
    return undefined;
  }

  /** Changes the number of places to the used ones, up to the limit. False when another process holds the rest. */
  #change(counter: string, held: Held, limit: number): Promise<boolean> {
    const now = this.#clock.now();
    const wanted = Math.min(held.used, limit);
    return this.#store.platform.transaction(async (tx) => {
      const full_until = Math.floor(microsecondsOf(now) / 1000) + LEASE_SECONDS * 1000;
      await tx.run(lockRate, { key: counter, server_id: held.serverId, taken: null, full_until });
      const others = Number((await tx.first(countOtherPlaces, { counter, holder: this.#holder, now }))?.places ?? 0);
      const places = Math.min(wanted, Math.max(limit - others, 0));
      await this.#write(tx, counter, held, places);
      return places > 0 && places >= Math.min(wanted, held.used);
    }, 'process');
  }

  async #write(tx: PlatformTx, counter: string, held: Held, places: number): Promise<void> {
    const holder = this.#holder;
    if (places === 0) await tx.run(deletePlaces, { counter, holder });
    else {
      const expires_at = addSeconds(this.#clock.now(), LEASE_SECONDS);
      await tx.run(putPlaces, { counter, holder, server_id: held.serverId, places, expires_at });
    }
    tx.afterCommit(() => {
      held.places = places;
      held.renewed = performance.now();
    });
  }

  #look(): void {
    for (const [counter, held] of this.#held) {
      const isIdle = held.used < held.places;
      const isDue = held.places > 0 && performance.now() - held.renewed > RENEW_MILLISECONDS;
      if (held.used === 0 && held.places === 0 && !held.changing) this.#held.delete(counter);
      else if ((isIdle || isDue) && !held.changing) {
        held.changing = this.#store.platform
          .transaction(async (tx) => {
            await this.#write(tx, counter, held, held.used);
            return true;
          }, 'process')
          .catch(() => false)
          .finally(() => {
            held.changing = undefined;
          });
      }
    }
  }
}
