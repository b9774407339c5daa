/**
 * Session ids of the legacy revisions. A client gets a sealed id, which contains the id of the upstream, the actor and
 * the server. So it needs no table, works on every replica, and is invalid for another actor.
 */

import type { Encryption } from '../../../encryption/encryption.ts';
import { openId, sealId } from '../../../encryption/sealed-id.ts';
import { BoundedMap } from '../../../values/bounded-map.ts';
import { isObject } from '../../protocol/message.ts';

export interface ActorSession {
  readonly serverId: string;
  readonly actorId: string;
  /** The id at the upstream. */
  readonly upstreamId: string;
  /** The negotiated revision. */
  readonly version: string;
  readonly client: ClientName | undefined;
  /** Identifies the session in records; not the id with which the client uses it. */
  readonly name: string;
  /** The process that keeps what belongs to the session; undefined if every process can go on with it. */
  readonly holder: string | undefined;
}

export interface ClientName {
  readonly name: string;
  readonly version: string;
}

const KIND = 'session';
/** Client names and versions are kept up to this length. */
const MAX_NAME = 100;
/** Opened ids that are cached; another one is opened again. */
const MAX_KEPT = 10_000;

/** The fields in the order in which an id contains them. */
type SealedSession = [string, string, string, string, ClientName | null, string, (string | null)?];

export class Sessions {
  readonly #encryption: Encryption;
  readonly #opened = new BoundedMap<string, ActorSession>({ name: 'sessions', most: MAX_KEPT });

  constructor(encryption: Encryption) {
    this.#encryption = encryption;
  }

  seal({ serverId, actorId, upstreamId, version, client, name, holder }: ActorSession): string {
    const content = [serverId, actorId, upstreamId, version, client ?? null, name, holder ?? null];
    return sealId(this.#encryption, KIND, content);
  }

  /** Undefined for an id that was not made here, or not for this server and actor. */
  open(sealed: string, serverId: string, actorId: string): ActorSession | undefined {
    let session = this.#opened.get(sealed);
    if (!session) {
      session = this.#unseal(sealed);
      if (!session) return undefined;
      this.#opened.set(sealed, session, session.actorId);
    }
    return session.serverId === serverId && session.actorId === actorId ? session : undefined;
  }

  #unseal(sealed: string): ActorSession | undefined {
    const content = openId(this.#encryption, KIND, sealed);
    if (!content) return undefined;
    const [serverId, actorId, upstreamId, version, client, name, holder] = content as SealedSession;
    const session = { serverId, actorId, upstreamId, version, name };
    return { ...session, client: client ?? undefined, holder: holder ?? undefined };
  }
}

/** `clientInfo` of an initialize request or of the modern `_meta`. */
export function clientNameOf(info: unknown): ClientName | undefined {
  if (!isObject(info) || typeof info['name'] !== 'string') return undefined;
  const version = typeof info['version'] === 'string' ? info['version'] : '';
  return { name: info['name'].slice(0, MAX_NAME), version: version.slice(0, MAX_NAME) };
}
