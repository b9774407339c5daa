/**
 * The sessions of clients with remixes: the id of each contains the capabilities of its client, and the rest is in this
 * process.
 */
import { BoundedMap } from '../../../values/bounded-map.ts';
import type { ClientSession } from '../../translation/client-session.ts';
import { SessionLinks } from '../sources/links.ts';
import type { RemixClient, Sources } from '../sources/sources.ts';

const IDLE_MILLISECONDS = 24 * 3600 * 1000;
const MAX_SESSIONS = 10_000;

/**
 * The most recently used sessions of each caller. One that is not kept starts again, with the capabilities in its id.
 */
export class RemixSessions {
  readonly #kept = new BoundedMap<string, SessionLinks>({
    name: 'remix sessions',
    most: MAX_SESSIONS,
    idleMilliseconds: IDLE_MILLISECONDS,
    dropped: (links) => links.end(),
  });

  linksOf(remixId: string, session: ClientSession, sources: Sources, client: RemixClient): SessionLinks {
    const { actorId } = client.caller;
    const make = () => new SessionLinks(sources, client, session);
    return this.#kept.getOrMake(keyOf(remixId, actorId, session), make, actorId);
  }

  end(remixId: string, session: ClientSession, { caller }: RemixClient): void {
    this.#kept.delete(keyOf(remixId, caller.actorId, session))?.end();
  }
}

function keyOf(remixId: string, actorId: string, { id }: ClientSession): string {
  return `${remixId} ${actorId} ${id}`;
}
