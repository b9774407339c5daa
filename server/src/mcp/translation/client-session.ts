/** The session of a client over a server that knows none: its id says what the client can do, the rest is in this process. */
import { isObject, type JsonObject } from '../protocol/message.ts';
import type { Conversation } from './conversation.ts';

/** The content of a session id. */
export interface ClientSession {
  /** Holds the time at which the session began. */
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

/** The last sessions that were used. */
export class Activities {
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

  end(session: ClientSession): void {
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
