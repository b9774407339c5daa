/** The sessions of clients with remixes: the id of each says what its client can do, the rest is in this process. */
import type { ClientSession } from '../../translation/client-session.ts';
import { SessionLinks } from '../sources/links.ts';
import type { RemixClient, Sources } from '../sources/sources.ts';

const IDLE_MILLISECONDS = 24 * 3600 * 1000;
const MAX_SESSIONS = 10_000;

interface Kept {
  readonly links: SessionLinks;
  lastUsed: number;
}

/** The last sessions that were used. A session that is not kept begins anew, with the abilities that its id names. */
export class RemixSessions {
  /** The one that was used last stands last. */
  readonly #kept = new Map<string, Kept>();

  linksOf(remixId: string, session: ClientSession, sources: Sources, client: RemixClient): SessionLinks {
    const key = `${remixId} ${session.id}`;
    const now = performance.now();
    let kept = this.#kept.get(key);
    if (!kept) {
      this.#makeRoom(now);
      kept = { links: new SessionLinks(sources, client, session), lastUsed: now };
    }
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    kept.lastUsed = now;
    return kept.links;
  }

  end(remixId: string, session: ClientSession): void {
    const key = `${remixId} ${session.id}`;
    this.#kept.get(key)?.links.end();
    this.#kept.delete(key);
  }

  #makeRoom(now: number): void {
    for (const [key, { links, lastUsed }] of this.#kept) {
      if (this.#kept.size < MAX_SESSIONS && now - lastUsed < IDLE_MILLISECONDS) return;
      links.end();
      this.#kept.delete(key);
    }
  }
}
