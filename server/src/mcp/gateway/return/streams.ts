/**
 * The streams that stay open: the GET streams of the legacy revisions, `subscriptions/listen` of the modern one, and every
 * answer that streams. After each change of access, each stream is checked for whether it may stay open, and a listener
 * gets a notification when the lists that it may see have changed.
 */
import type { AccessChanges } from '../../../identity/access-changes.ts';
import type { ServerChanges } from '../../../server-changes.ts';
import { eventOf } from '../../protocol/event-stream.ts';
import type { MessageId } from '../../protocol/message.ts';
import { SUBSCRIPTION_ID_KEY } from '../../protocol/meta.ts';
import type { Relay } from './relay.ts';

export const CAPABILITY_LISTS = ['tools', 'prompts', 'resources'] as const;
export type CapabilityList = (typeof CAPABILITY_LISTS)[number];

export interface OpenStream {
  readonly serverId: string;
  /** The lists whose changes its reader wants to hear of. */
  readonly lists: readonly CapabilityList[];
  /** Id of the request that listens, for the modern revision. */
  readonly subscription: MessageId | undefined;
  /** The session in which it was opened, as the server knows it. */
  readonly sessionId?: string | undefined;
  /**
   * Reads anew whether the reader may still listen, and whether it sees other lists than at the last check. `replaced`: the
   * lists come from other servers than the stream.
   */
  check(): Promise<'ended' | 'replaced' | 'changed' | 'same'>;
  /** `relay` carries it to its reader. */
  attach(relay: Relay): void;
  inject(event: Buffer): void;
  close(): void;
}

/**
 * Proxies between a client and here end connections that are silent for longer. All streams are also checked this
 * often, in case a change went unnoticed.
 */
const KEEP_ALIVE_MILLISECONDS = 25_000;
const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');
/** Streams that are checked at once: other requests need the database too. */
const ASKED_TOGETHER = 100;

export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  readonly #timer: NodeJS.Timeout;
  readonly #unwatch: () => void;
  /** Answers that may become streams. */
  #awaited = 0;
  /** How often all streams, or all of a server, were checked. */
  #looks = 0;

  constructor(serverChanges: ServerChanges, accessChanges: AccessChanges) {
    serverChanges.listen((serverId, change) => {
      const concerns = (stream: OpenStream) => stream.serverId === serverId;
      // At once: their source is closed as well, and after that they could only break off.
      if (change === 'deleted') for (const stream of [...this.#streams].filter(concerns)) stream.close();
      else void this.check(concerns);
    });
    this.#unwatch = accessChanges.watch({
      isOpen: () => this.#streams.size + this.#awaited > 0,
      look: () => this.check(() => true),
    });
    this.#timer = setInterval(() => {
      for (const stream of this.#streams) stream.inject(KEEP_ALIVE);
      void this.check(() => true);
    }, KEEP_ALIVE_MILLISECONDS);
    this.#timer.unref();
  }

  /**
   * Call it before the access of a request is read. An answer may begin to stream long after that, and a change in
   * between reaches only streams that have begun. So `add` also checks the stream when a change came in between.
   */
  await(): AwaitedStream {
    this.#awaited += 1;
    return new AwaitedStream(this, this.#looks);
  }

  /** @internal For AwaitedStream: `looks` as they were when it began to wait. */
  add(stream: OpenStream, looks: number): void {
    this.#streams.add(stream);
    if (this.#looks !== looks) void this.#checkOne(stream);
  }

  /** @internal For AwaitedStream. */
  endWait(): void {
    this.#awaited -= 1;
  }

  remove(stream: OpenStream): void {
    this.#streams.delete(stream);
  }

  /** Ends the streams that may not stay open, and notifies the others of what changed. */
  async check(concerns: (stream: OpenStream) => boolean): Promise<void> {
    this.#looks += 1;
    const concerned = [...this.#streams].filter(concerns);
    for (let first = 0; first < concerned.length; first += ASKED_TOGETHER) {
      await Promise.all(concerned.slice(first, first + ASKED_TOGETHER).map((stream) => this.#checkOne(stream)));
    }
  }

  async #checkOne(stream: OpenStream): Promise<void> {
    // When the database does not answer, nothing is known; the next check follows.
    const found = await stream.check().catch(() => 'same' as const);
    if (!this.#streams.has(stream)) return;
    if (found === 'changed' || found === 'replaced') announce(stream);
    // Its reader opens another one, from the sources as they are now.
    if (found === 'ended' || found === 'replaced') stream.close();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unwatch();
    for (const stream of this.#streams) stream.close();
  }
}

/** An answer that may become a stream. */
export class AwaitedStream {
  readonly #streams: OpenStreams;
  readonly #looks: number;
  #isAwaited = true;

  constructor(streams: OpenStreams, looks: number) {
    this.#streams = streams;
    this.#looks = looks;
  }

  add(stream: OpenStream): void {
    this.#streams.add(stream, this.#looks);
  }

  /** The answer has ended. */
  end(): void {
    if (this.#isAwaited) this.#streams.endWait();
    this.#isAwaited = false;
  }
}

function announce(stream: OpenStream): void {
  const meta =
    stream.subscription === undefined ? {} : { params: { _meta: { [SUBSCRIPTION_ID_KEY]: stream.subscription } } };
  for (const list of stream.lists) {
    stream.inject(eventOf({ jsonrpc: '2.0', method: `notifications/${list}/list_changed`, ...meta }));
  }
}
