/**
 * Chooses the connection of a request to a server, by the eras in its manifest. If client and server share an era,
 * requests are not translated; the same holds for a server whose manifest was never read.
 */

import { BoundedMap } from '../../values/bounded-map.ts';
import type { Era } from '../protocol/era.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { Activities } from './client-session.ts';
import { LegacyOverModern } from './legacy-over-modern.ts';
import { ModernOverLegacy } from './modern-over-legacy.ts';

/** The actor of a request: a session of the server belongs to one actor. */
interface Caller {
  readonly serverId: string;
  readonly actorId: string;
  readonly era: Era;
}

/** Cached translations, each with a session of the server for one actor. */
const MAX_KEPT = 2000;

export class Translations {
  readonly #kept = new BoundedMap<string, { readonly upstream: Upstream; readonly translated: Upstream }>({
    name: 'translations',
    most: MAX_KEPT,
  });
  readonly #activities = new Activities();

  /** Returns `upstream`, or one in the client's era; `eras` are those of the server. */
  translate(upstream: Upstream, eras: readonly Era[], { serverId, actorId, era }: Caller): Upstream {
    if (eras.length === 0 || eras.includes(era)) return upstream;
    const key = `${serverId} ${actorId} ${era}`;
    const kept = this.#kept.get(key);
    // A new connection to the server does not have the sessions of the old one.
    if (kept?.upstream === upstream) return kept.translated;
    const translated =
      era === 'modern' ? new ModernOverLegacy(upstream) : new LegacyOverModern(upstream, this.#activities.of(actorId));
    this.#kept.set(key, { upstream, translated }, actorId);
    return translated;
  }
}
