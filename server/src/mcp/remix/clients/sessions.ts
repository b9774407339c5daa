/**
 * The sessions of clients with remixes: the id of each contains the capabilities of its client, and the rest is in this
 * process.
 */
import { KeptByHolder } from '../../../fairness/kept-by-holder.ts';
import type { ClientSession } from '../../translation/client-session.ts';
import { SessionLinks } from '../sources/links.ts';
import type { RemixClient, Sources } from '../sources/sources.ts';

const IDLE_MILLISECONDS = 24 * 3600 * 1000;
const MAX_SESSIONS = 10_000;

/**
 * The most recently used sessions of each caller. One that is not kept starts again, with the capabilities in its id.
 */
export class RemixSessions {
  readonly #kept = new KeptByHolder<SessionLinks>(MAX_SESSIONS, IDLE_MILLISECONDS, (links) => links.end());

  linksOf(remixId: string, session: ClientSession, sources: Sources, client: RemixClient): SessionLinks {
    const make = () => new SessionLinks(sources, client, session);
    return this.#kept.findOrMake(client.caller.actorId, keyOf(remixId, session), performance.now(), make);
  }

  end(remixId: string, session: ClientSession, { caller }: RemixClient): void {
    this.#kept.take(caller.actorId, keyOf(remixId, session))?.end();
  }
}

function keyOf(remixId: string, { id }: ClientSession): string {
  return `${remixId} ${id}`;
}
