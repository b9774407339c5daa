/**
 * Publishes facts about the process's own work, for metrics. Each topic is a channel of `node:diagnostics_channel`:
 * without subscribers, publishing costs a check of a property, and the clock is not read.
 */
import { type Channel, channel } from 'node:diagnostics_channel';

/** A group of writes that shared a commit. */
interface CommitTold {
  readonly writes: number;
  readonly seconds: number;
  readonly failed: boolean;
}

interface ReadTold {
  /** Time until its rows arrived, including the wait for a connection or a process. */
  readonly seconds: number;
}

/** A pass of a background service. */
interface PassTold {
  readonly service: string;
  readonly seconds: number;
  readonly failed: boolean;
  /** True if more work was due when it ended. */
  readonly leftWork: boolean;
}

/** A request to an MCP server that was answered or refused. */
interface GatewayRequestTold {
  /** The method in the words of the client; it may be any text. */
  readonly method: string | null;
  /** Undefined if no server was found. */
  readonly server: { readonly slug: string; readonly kind: string } | undefined;
  readonly decision: string;
  readonly status: number;
  readonly errorCode: number | null;
  readonly seconds: number;
}

/** The first byte of an answer, or the failure, of a request to an MCP server. */
interface UpstreamTold {
  readonly seconds: number;
  /** The kind of failure; undefined for an answer. */
  readonly fault: string | undefined;
}

export interface BuildTold {
  readonly outcome: 'succeeded' | 'failed' | 'canceled' | 'interrupted';
  readonly seconds: number;
}

/** Work that was refused because a limit of this process was reached. */
interface RefusalTold {
  readonly limit: 'connections' | 'requests' | 'sockets';
}

/** A value that was dropped because its map was full. */
interface EvictionTold {
  readonly map: string;
}

/** A pattern and a text of users that were too costly to compare, which counts as no match. */
interface UnmatchedTold {
  readonly cause: 'label_length' | 'work';
}

/** An event of a client that was not stored. */
export interface DroppedEventTold {
  readonly cause: 'invalid' | 'size' | 'database';
}

/** A mail that the mail server accepted, or that was not sent. */
interface MailTold {
  readonly kind: string;
  readonly outcome: 'sent' | 'failed' | 'limited';
}

/** One kind of fact. Subscribers of Node's channel `signalbox:<name>` get the same objects. */
class Topic<Told extends object> {
  readonly #channel: Channel;

  constructor(name: string) {
    this.#channel = channel(`signalbox:${name}`);
  }

  /** The current time in milliseconds if there are subscribers; else 0, which `tell` ignores. */
  begin(): number {
    return this.#channel.hasSubscribers ? performance.now() : 0;
  }

  /** `began` is the result of `begin`. Work that began before the first subscriber is not published. */
  tell(began: number, facts: Omit<Told, 'seconds'>): void {
    if (began === 0 || !this.#channel.hasSubscribers) return;
    this.#channel.publish({ ...facts, seconds: (performance.now() - began) / 1000 });
  }

  /** Publishes a fact without a duration. */
  note(facts: Told): void {
    if (this.#channel.hasSubscribers) this.#channel.publish(facts);
  }

  /** Returns a function that stops listening. `hear` must not throw. */
  listen(hear: (facts: Told) => void): () => void {
    const subscriber = (facts: unknown) => hear(facts as Told);
    this.#channel.subscribe(subscriber);
    return () => {
      this.#channel.unsubscribe(subscriber);
    };
  }
}

export const commits = new Topic<CommitTold>('commit');
export const reads = new Topic<ReadTold>('read');
export const passes = new Topic<PassTold>('pass');
export const gatewayRequests = new Topic<GatewayRequestTold>('gateway-request');
export const upstreamAnswers = new Topic<UpstreamTold>('upstream-answer');
export const builds = new Topic<BuildTold>('build');
export const limitRefusals = new Topic<RefusalTold>('limit-refusal');
export const evictions = new Topic<EvictionTold>('eviction');
export const unmatchedTexts = new Topic<UnmatchedTold>('unmatched-text');
export const droppedEvents = new Topic<DroppedEventTold>('dropped-event');
export const mails = new Topic<MailTold>('mail');
