/** What is asked about the access of a caller: which server, and with which credential. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { bearerOf } from '../../../identity/callers/authenticate.ts';
import { hashOfSecret } from '../../../identity/keys/api-keys.ts';
import { addressOf, type ServerAddress } from './address.ts';

export interface AccessQuestion {
  readonly address: ServerAddress;
  /** The text after `Bearer`; undefined when there was none. */
  readonly presented: string | undefined;
  /** The same for the same question; does not hold the credential. */
  readonly key: string;
}

interface Asked {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly question: AccessQuestion;
}

/** Stands for an address that names nothing. */
const NOWHERE: ServerAddress = { organization: '', server: '' };
/** Of a credential and an address; the question of longer ones is not kept. */
const MOST_CHARACTERS = 1024;

/**
 * Remembers the question of the last request on each connection: nearly all on one connection ask the same, and hashing
 * the credential costs more than looking up what it opens. It answers nothing.
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
