/**
 * The one `user:password` of the access mode `basic`. Failures are counted by the address, which slows guessing down.
 * An address that has sent the right credential is admitted with it regardless of its failures: many clients share an
 * address, and one that guesses must not stop the others.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { TooManyRequests } from '../../errors.ts';
import { clientNetwork, plainAddress } from '../../network/addresses.ts';
import type { Attempts, CountedAttempt, Limit } from '../../rates/attempts.ts';
import { BoundedMap } from '../../values/bounded-map.ts';

const failures: Limit = { name: 'basic', atOnce: 10, everySeconds: 3 };
/**
 * Counted once for an address that has sent the right credential, so that every replica knows the address for a day.
 */
const right: Limit = { name: 'basic-right', atOnce: 1, everySeconds: 86_400 };
/** Time for which this process knows a network without a query. */
const KNOWN_MILLISECONDS = 3_600_000;
const MAX_KNOWN = 10_000;

export class BasicCredential {
  readonly #attempts: Attempts;
  /** Time until which each network is known, by the clock of this process. */
  readonly #known = new BoundedMap<string, number>({ name: 'known networks', most: MAX_KNOWN });

  constructor(attempts: Attempts) {
    this.#attempts = attempts;
  }

  /**
   * Returns true if the credential is right. Throws TooManyRequests after too many wrong credentials from this address.
   */
  async check(given: string, wanted: string, address: string): Promise<boolean> {
    const network = clientNetwork(plainAddress(address));
    const isRight = sameText(given, wanted);
    if (isRight && performance.now() < (this.#known.get(network) ?? 0)) return true;
    const counted: CountedAttempt = { limit: failures, subject: network };
    if (!isRight) {
      await this.#attempts.begin([counted]);
      return false;
    }
    if (await this.#attempts.isUntouched({ limit: right, subject: network })) {
      await this.#attempts.check(counted);
      await this.#attempts.begin([{ limit: right, subject: network }]).catch(ignoreTaken);
    }
    this.#known.set(network, performance.now() + KNOWN_MILLISECONDS);
    return true;
  }
}

/** When two requests send the right credential at once, the second finds that the first was already counted. */
function ignoreTaken(error: unknown): void {
  if (!(error instanceof TooManyRequests)) throw error;
}

/** Digests have equal lengths, so the comparison takes the same time for all texts. */
function sameText(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
