/**
 * The one `user:password` of the access mode `basic`. Failures are counted by the address, which slows guessing down.
 * An address that has shown the right credential is let in with it, whatever else comes from there: many clients share
 * an address, and one that guesses must not stop the others.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { TooManyRequests } from '../../errors.ts';
import { clientNetwork, plainAddress } from '../../network/addresses.ts';
import type { Attempts, CountedAttempt, Limit } from '../attempts/attempts.ts';

const failures: Limit = { name: 'basic', atOnce: 10, everySeconds: 3 };
/** Counted once for an address that has shown the right credential, so that it is known for a day, on every replica. */
const right: Limit = { name: 'basic-right', atOnce: 1, everySeconds: 86_400 };
/** How long this process knows it without asking again. */
const KNOWN_MILLISECONDS = 3_600_000;
const MAX_KNOWN = 10_000;

export class BasicCredential {
  readonly #attempts: Attempts;
  /** Until when, by the clock of this process, each network is known. */
  readonly #known = new Map<string, number>();

  constructor(attempts: Attempts) {
    this.#attempts = attempts;
  }

  /** Whether it is right. Throws TooManyRequests when too much was wrong from this address. */
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
    this.#remember(network);
    return true;
  }

  #remember(network: string): void {
    this.#known.delete(network);
    this.#known.set(network, performance.now() + KNOWN_MILLISECONDS);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** When two requests show the right credential at once, the second finds the note that the first made. */
function ignoreTaken(error: unknown): void {
  if (!(error instanceof TooManyRequests)) throw error;
}

/** Digests have one length, so the comparison takes the same time whatever the texts are. */
function sameText(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
