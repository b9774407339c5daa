/**
 * The session of a client with a server that has none: its id contains the client's capabilities, and the rest is in
 * this process.
 */
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
export interface Activity {
  /** Questions to the client that wait for its answer, by id. */
  readonly questions: Map<string, (answer: JsonObject) => void>;
  readonly requests: Map<unknown, Conversation>;
  /** Only `Activities` changes it, which limits its size. */
  readonly subscriptions: Set<string>;
  logLevel: LogLevel | undefined;
  stream: ClientStream | undefined;
  lastUsed: number;
}

const IDLE_MILLISECONDS = 24 * 3600 * 1000;
const MAX_SESSIONS = 10_000;
/** Limits of one session. */
const MAX_SUBSCRIPTIONS = 100;
const MAX_URI_CHARACTERS = 2000;
/** Characters of all subscriptions. Beyond this, the least recently used sessions start again. */
const MAX_CHARACTERS = 16_000_000;

/** The most recently used sessions. */
export class Activities {
  /** The most recently used one is last. */
  readonly #byId = new Map<string, Activity>();
  #characters = 0;

  of({ id }: ClientSession): Activity {
    const now = performance.now();
    let activity = this.#byId.get(id);
    if (!activity) {
      for (const [old, { lastUsed }] of this.#byId) {
        if (this.#byId.size < MAX_SESSIONS && now - lastUsed < IDLE_MILLISECONDS) break;
        this.#drop(old);
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
    this.#drop(session.id);
  }

  /** False when the session has reached its limit of subscriptions, or when the URI is too long. */
  subscribe(activity: Activity, uri: string): boolean {
    const { subscriptions } = activity;
    if (subscriptions.has(uri)) return true;
    if (uri.length > MAX_URI_CHARACTERS || subscriptions.size >= MAX_SUBSCRIPTIONS) return false;
    subscriptions.add(uri);
    this.#characters += uri.length;
    for (const [id, old] of this.#byId) {
      if (this.#characters <= MAX_CHARACTERS || old === activity) break;
      this.#drop(id);
    }
    return true;
  }

  unsubscribe({ subscriptions }: Activity, uri: string): void {
    if (subscriptions.delete(uri)) this.#characters -= uri.length;
  }

  #drop(id: string): void {
    for (const uri of this.#byId.get(id)?.subscriptions ?? []) this.#characters -= uri.length;
    this.#byId.delete(id);
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
