/**
 * The session of a client with a server that has none: its id contains the client's capabilities, and the rest is in
 * this process.
 */
import { BoundedMap } from '../../values/bounded-map.ts';
import type { LogLevel } from '../protocol/log-level.ts';
import { isObject, type JsonObject } from '../protocol/message.ts';
import type { Conversation } from './conversation.ts';

/** The content of a session id. */
export interface ClientSession {
  /** Contains the time at which the session began. */
  readonly id: string;
  readonly capabilities: JsonObject;
  readonly client: JsonObject;
}

/** The stream of a session for messages outside of requests. */
export interface ClientStream extends Conversation {
  /** Called when the session's subscriptions have changed. */
  listenAnew(): void;
}

/** The open requests and questions in one session. */
export class Activity {
  /** Questions to the client that wait for its answer, by id. */
  readonly questions = new Map<string, (answer: JsonObject) => void>();
  readonly requests = new Map<unknown, Conversation>();
  /** Only `TranslatedSessions` changes it, which limits its size. */
  readonly subscriptions = new Set<string>();
  logLevel: LogLevel | undefined;
  stream: ClientStream | undefined;
}

const IDLE_MILLISECONDS = 24 * 3600 * 1000;
const MAX_SESSIONS = 10_000;
/** Limits of one session. */
const MAX_SUBSCRIPTIONS = 100;
const MAX_URI_CHARACTERS = 2000;
/** Characters of all subscriptions. Beyond this, sessions of the actor with the most start again. */
const MAX_CHARACTERS = 16_000_000;

/** The activities of the sessions of all actors. */
export class Activities {
  readonly #kept = new BoundedMap<string, Activity>({
    name: 'translated sessions',
    most: MAX_SESSIONS,
    mostBytes: MAX_CHARACTERS,
    weigh: ({ subscriptions }) => [...subscriptions].reduce((sum, uri) => sum + uri.length, 0),
    idleMilliseconds: IDLE_MILLISECONDS,
  });
  #translations = 0;

  /** The sessions of one translation, which belong to `actorId`. */
  of(actorId: string): TranslatedSessions {
    this.#translations += 1;
    return new TranslatedSessions(this.#kept, actorId, `${this.#translations} `);
  }
}

export class TranslatedSessions {
  readonly #kept: BoundedMap<string, Activity>;
  readonly #actorId: string;
  readonly #prefix: string;

  constructor(kept: BoundedMap<string, Activity>, actorId: string, prefix: string) {
    this.#kept = kept;
    this.#actorId = actorId;
    this.#prefix = prefix;
  }

  activityOf({ id }: ClientSession): Activity {
    return this.#kept.getOrMake(this.#prefix + id, () => new Activity(), this.#actorId);
  }

  end({ id }: ClientSession): void {
    this.#kept.delete(this.#prefix + id)?.stream?.finish(undefined);
  }

  /** False when the session has reached its limit of subscriptions, or when the URI is too long. */
  subscribe({ id }: ClientSession, activity: Activity, uri: string): boolean {
    const { subscriptions } = activity;
    if (subscriptions.has(uri)) return true;
    if (uri.length > MAX_URI_CHARACTERS || subscriptions.size >= MAX_SUBSCRIPTIONS) return false;
    subscriptions.add(uri);
    this.#weigh(id, activity);
    return true;
  }

  unsubscribe({ id }: ClientSession, activity: Activity, uri: string): void {
    if (activity.subscriptions.delete(uri)) this.#weigh(id, activity);
  }

  /** Another activity may have taken its place meanwhile. */
  #weigh(id: string, activity: Activity): void {
    const key = this.#prefix + id;
    if (this.#kept.get(key) === activity) this.#kept.set(key, activity, this.#actorId);
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
