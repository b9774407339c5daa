/**
 * Chooses the limits of an attempt at a credential. A browser that has signed the person in before has its own limit,
 * so that strangers who guess never keep it out. All others share the limits of their address and of the account. When
 * others have used those up, attempts from an address that has not failed at the account are checked, but more slowly.
 */

import { Unavailable } from '../../errors.ts';
import { clientNetwork, plainAddress } from '../../network/addresses.ts';
import type { Attempt, Attempts, Limit } from '../../rates/attempts.ts';

const knownDevice: Limit = { name: 'known-device', atOnce: 5, everySeconds: 30 };
const accountFromAddress: Limit = { name: 'account-address', atOnce: 5, everySeconds: 30 };
const address: Limit = { name: 'address', atOnce: 5, everySeconds: 6 };
const addressSlowly: Limit = { name: 'address-slowly', atOnce: 2, everySeconds: 3 };
const account: Limit = { name: 'account', atOnce: 6, everySeconds: 15 };
const accountSlowly: Limit = { name: 'account-slowly', atOnce: 2, everySeconds: 10 };

interface SignInAttempt {
  readonly address: string;
  /** The e-mail address in lower case. */
  readonly email: string;
  /** Identifies the browser, if it has signed in to this account before. */
  readonly knownDevice: string | undefined;
}

/** Counts the attempt. Throws TooManyRequests when it must not be checked. */
export async function beginSignIn(attempts: Attempts, given: SignInAttempt): Promise<Attempt> {
  if (given.knownDevice !== undefined) {
    return attempts.begin([{ limit: knownDevice, subject: `${given.knownDevice} ${given.email}` }]);
  }
  const network = clientNetwork(plainAddress(given.address));
  return attempts.begin([
    { limit: accountFromAddress, subject: `${network} ${given.email}` },
    { limit: address, subject: network, otherwise: addressSlowly },
    { limit: account, subject: given.email, otherwise: accountSlowly },
  ]);
}

/** The result of `check`. When it throws Unavailable, the attempt was not checked and does not count. */
export async function checked<T>(attempt: Attempt, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof Unavailable) await attempt.takeBack();
    throw error;
  }
}

const resetFromAddress: Limit = { name: 'reset-address', atOnce: 5, everySeconds: 60 };
const resetOfAccount: Limit = { name: 'reset-account', atOnce: 3, everySeconds: 600 };

/**
 * Counts a request for a new password, whether or not the account exists. Throws TooManyRequests after some of them.
 */
export async function countResetRequest(attempts: Attempts, from: string, email: string): Promise<void> {
  await attempts.begin([
    { limit: resetFromAddress, subject: clientNetwork(plainAddress(from)) },
    { limit: resetOfAccount, subject: email },
  ]);
}

/** Secrets other than passwords that anyone can try. Each kind is counted by the address. */
type Guessable = 'invitation' | 'set-up link' | 'device code' | 'user code' | 'password reset link';

const guesses: Limit = { name: 'guess', atOnce: 10, everySeconds: 6 };

/** Counts a guess at a 256-bit secret that does not exist. Throws TooManyRequests after some of them. */
export async function countGuess(attempts: Attempts, kind: Guessable, from: string): Promise<void> {
  await attempts.begin([{ limit: guesses, subject: `${kind} ${clientNetwork(plainAddress(from))}` }]);
}

/**
 * Looks a secret up with `look`, which throws when the secret does not exist. Each such failure counts; after some of
 * them, nothing is looked up for a while.
 */
export async function lookUp<Found>(
  attempts: Attempts,
  kind: Guessable,
  from: string,
  look: () => Promise<Found>,
): Promise<Found> {
  const attempt = await attempts.begin([{ limit: guesses, subject: `${kind} ${clientNetwork(plainAddress(from))}` }]);
  const found = await look();
  await attempt.takeBack();
  return found;
}
