/** The session of a client over a server that knows none: its id says what the client can do, the rest is in this process. */
import { isObject, type JsonObject } from '../protocol/message.ts';
import type { Conversation } from './conversation.ts';

/** The content of a session id. */
export interface ClientSession {
  readonly id: string;
  readonly capabilities: JsonObject;
  readonly client: JsonObject;
}

/** The stream of a session on which the client hears what concerns no request. */
export interface ClientStream extends Conversation {
  /** The session subscribes to other resources than before. */
  listenAnew(): void;
}

/** The requests and questions under way in one session. */
export interface Activity {
  /** Questions to the client that wait for its answer, by their id. */
  readonly questions: Map<string, (answer: JsonObject) => void>;
  readonly requests: Map<unknown, Conversation>;
  readonly subscriptions: Set<string>;
  logLevel: unknown;
  stream: ClientStream | undefined;
  lastUsed: number;
}

const IDLE_MILLISECONDS = 24 * 3600 * 1000;
const MAX_SESSIONS = 10_000;

/**
 * The sessions that their clients have ended, as far as this process has seen it: the last ones. The id of a session
 * describes it, so one that has ended would begin anew.
 */
export class EndedSessions {
  readonly #ids = new Set<string>();

  add({ id }: ClientSession): void {
    const [oldest] = this.#ids;
    if (this.#ids.size >= MAX_SESSIONS && oldest !== undefined) this.#ids.delete(oldest);
    this.#ids.add(id);
  }

  has({ id }: ClientSession): boolean {
    return this.#ids.has(id);
  }
}

/** The last sessions that were used. */
export class Activities {
  readonly #ended = new EndedSessions();
  /** The one that was used last stands last. */
  readonly #byId = new Map<string, Activity>();

  of({ id }: ClientSession): Activity {
    const now = performance.now();
    let activity = this.#byId.get(id);
    if (!activity) {
      for (const [old, { lastUsed }] of this.#byId) {
        if (this.#byId.size < MAX_SESSIONS && now - lastUsed < IDLE_MILLISECONDS) break;
        this.#byId.delete(old);
      }
      activity = {
        questions: new Map(),
        requests: new Map(),
        subscriptions: new Set(),
        logLevel: undefined,
        stream: undefined,
        lastUsed: now,
      };
    }
    this.#byId.delete(id);
    this.#byId.set(id, activity);
    activity.lastUsed = now;
    return activity;
  }

  hasEnded(session: ClientSession): boolean {
    return this.#ended.has(session);
  }

  end(session: ClientSession): void {
    this.#ended.add(session);
    this.#byId.get(session.id)?.stream?.finish(undefined);
    this.#byId.delete(session.id);
  }
}

export function idOf(session: ClientSession): string {
  return Buffer.from(JSON.stringify(session)).toString('base64url');
}

export function sessionOf(id: string | undefined): ClientSession | undefined {
  if (id === undefined) return undefined;
  try {
    const session: unknown = JSON.parse(Buffer.from(id, 'base64url').toString('utf8'));
    if (!isObject(session)) return undefined;
    const { capabilities, client } = session;
    if (typeof session['id'] !== 'string' || !isObject(capabilities) || !isObject(client)) return undefined;
    return { id: session['id'], capabilities, client };
  } catch {
    return undefined;
  }
}
