/**
 * The ended sessions among those that the gateway keeps itself: with remixes, and with servers of the stateless
 * revision. The id of such a session contains its state, so an ended one would start again at any replica. So the
 * database lists the ended ones, until they are too old anyway.
 */
import { KeptFacts } from '../../database/kept-facts.ts';
import { rows } from '../../database/rows.ts';
import { platformStatement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import { firstIdAt, isUuid } from '../../values/id.ts';
import { addSeconds, type Clock } from '../../values/time.ts';
import { SESSION_NOT_FOUND } from '../protocol/codes.ts';
import { errorResponse, messageOf } from '../protocol/message.ts';
import type { Upstream, UpstreamRequest } from '../upstream/upstream.ts';
import { sessionOf } from './client-session.ts';
import { messageIn } from './conversation.ts';
import { answerOwn } from './own-answer.ts';

/** A client that has used a session for this long must open another one. */
export const LIFETIME_SECONDS = 30 * 86_400;

const findEnded = platformStatement<{ id: string }, Pick<Row<'mcp_ended_session'>, 'id'>>((query, given) =>
  query.selectFrom('mcp_ended_session').select('id').where('id', '=', given.id),
);

const endedSessions = rows('mcp_ended_session');

/** Answers every request as for an unknown session. */
const WITHOUT_SESSION: Upstream = {
  send: (request, sink) => answerOwn(sink, errorResponse(idIn(request), SESSION_NOT_FOUND, 'Session not found'), 404),
};

export class EndedSessions {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #ended: (sessionId: string) => void;
  /** Sessions that have not ended. */
  readonly #open: KeptFacts<true> | undefined;

  /** `ended` is called for each session that a client has ended here. */
  constructor(store: Store, clock: Clock, ended: (sessionId: string) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#ended = ended;
    this.#open = store.commitLook && new KeptFacts(store.commitLook, 'sessions that have not ended');
  }

  /**
   * The upstream for a request in the session with this id: `upstream`, or one that answers 404 when the session has
   * ended. A DELETE ends it, for every replica, before the answer.
   */
  async guard(upstream: Upstream, method: string, sessionId: string | undefined): Promise<Upstream> {
    const id = sessionOf(sessionId)?.id;
    if (id === undefined) return upstream;
    if (!isUuid(id) || this.#isTooOld(id)) return WITHOUT_SESSION;
    if (!(await this.#isOpen(id))) return WITHOUT_SESSION;
    if (method === 'DELETE') {
      const row = { id, expires_at: addSeconds(this.#clock.now(), LIFETIME_SECONDS) };
      await this.#store.platform.transaction((tx) => endedSessions.insertUnlessThere(tx, row), 'process');
      if (sessionId !== undefined) this.#ended(sessionId);
    }
    return upstream;
  }

  /** False when the client has ended the session with this id, on any replica. */
  async isOpen(sessionId: string): Promise<boolean> {
    const id = sessionOf(sessionId)?.id;
    return id === undefined || (isUuid(id) && (await this.#isOpen(id)));
  }

  async #isOpen(id: string): Promise<boolean> {
    const read = async () => ((await this.#store.platform.reads().first(findEnded, { id })) ? undefined : true);
    return (await (this.#open ? this.#open.findOrRead(id, read) : read())) ?? false;
  }

  #isTooOld(id: string): boolean {
    return id < firstIdAt(this.#clock.microseconds() - LIFETIME_SECONDS * 1_000_000);
  }
}

function idIn(request: UpstreamRequest) {
  const message = messageOf(messageIn(request));
  return message?.kind === 'request' ? message.id : undefined;
}
