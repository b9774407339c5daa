/**
 * Chooses how a request reaches a server, by the eras of the protocol in its manifest. Where client and server share an
 * era, requests pass untranslated; the same holds for a server whose manifest was never read.
 */

import type { Era } from '../protocol/era.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { LegacyOverModern } from './legacy-over-modern.ts';
import { ModernOverLegacy } from './modern-over-legacy.ts';

/** Whose request it is: a session of the server belongs to one actor. */
interface Caller {
  readonly serverId: string;
  readonly actorId: string;
  readonly era: Era;
}

/** Translations that are kept: a session of the server for each actor. */
const MAX_KEPT = 2000;

export class Translations {
  readonly #kept = new Map<string, { readonly upstream: Upstream; readonly translated: Upstream }>();

  /** The same upstream, or one that speaks the client's way; `eras` are those of the server. */
  translate(upstream: Upstream, eras: readonly Era[], { serverId, actorId, era }: Caller): Upstream {
    if (eras.length === 0 || eras.includes(era)) return upstream;
    const key = `${serverId} ${actorId} ${era}`;
    const kept = this.#kept.get(key);
    // Another connection to the server knows nothing of what was open in the one before.
    if (kept?.upstream === upstream) return kept.translated;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    const translated = era === 'modern' ? new ModernOverLegacy(upstream) : new LegacyOverModern(upstream);
    this.#kept.set(key, { upstream, translated });
    return translated;
  }
}
