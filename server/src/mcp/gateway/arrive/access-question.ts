/** The question about a caller's access: which server, and with which credential. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { hashOfSecret } from '../../../encryption/secret-hash.ts';
import { bearerOf } from '../../../identity/callers/authenticate.ts';
import { addressOf, type ServerAddress } from './address.ts';

export interface AccessQuestion {
  readonly address: ServerAddress;
  /** The text after `Bearer`; undefined when the request has none. */
  readonly presented: string | undefined;
  /** Equal for equal questions; does not contain the credential. */
  readonly key: string;
}

interface Asked {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly question: AccessQuestion;
}

/** Represents an address of no server. */
const NOWHERE: ServerAddress = { organization: '', server: '' };
/** Characters of a credential and an address; longer questions are not kept. */
const MOST_CHARACTERS = 1024;

/**
 * Remembers the question of the last request on each connection: nearly all requests on one connection have the same,
 * and hashing the credential costs more than looking up its access. It contains no answers.
 */
export class AccessQuestions {
  readonly #asked = new WeakMap<Socket, Asked>();

  of({ socket, url, headers: { authorization } }: IncomingMessage): AccessQuestion {
    const asked = this.#asked.get(socket);
    if (asked !== undefined && asked.url === url && asked.authorization === authorization) return asked.question;
    const address = addressOf(url ?? '') ?? NOWHERE;
    const presented = bearerOf(authorization);
    const hash = presented === undefined ? '' : hashOfSecret(presented);
    const question = { address, presented, key: `${address.organization}/${address.server} ${hash}` };
    const characters = (url?.length ?? 0) + (authorization?.length ?? 0);
    if (characters <= MOST_CHARACTERS) this.#asked.set(socket, { url, authorization, question });
    return question;
  }
}
