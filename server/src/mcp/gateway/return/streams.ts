/**
 * The streams that stay open: the GET streams of the legacy revisions, `subscriptions/listen` of the modern one, and
 * every answer that streams. After each change of access, each stream is checked whether it may stay open, and a
 * listener gets a notification when its visible lists have changed.
 */

import type { ServerChanges } from '../../../changes/server-changes.ts';
import { Unavailable } from '../../../errors.ts';
import type { AccessChanges } from '../../../identity/access/access-changes.ts';
import { attempt, guarded, inBackground } from '../../../watching/background.ts';
import { eventOf } from '../../protocol/event-stream.ts';
import type { MessageId } from '../../protocol/message.ts';
import { SUBSCRIPTION_ID_KEY } from '../../protocol/meta.ts';
import type { Relay } from './relay.ts';

export const CAPABILITY_LISTS = ['tools', 'prompts', 'resources'] as const;
export type CapabilityList = (typeof CAPABILITY_LISTS)[number];

export interface OpenStream {
  readonly serverId: string;
  /** The lists about whose changes its reader is notified. */
  readonly lists: readonly CapabilityList[];
  /** Id of the request that listens, for the modern revision. */
  readonly subscription: MessageId | undefined;
  /** The session in which it was opened, by the server's id. */
  readonly sessionId?: string | undefined;
  /**
   * Reads again whether the reader may still listen, and whether its lists differ from the last check. `replaced`: the
   * lists come from other servers than the stream.
   */
  check(): Promise<'ended' | 'replaced' | 'changed' | 'same'>;
  /** `relay` sends it to its reader. */
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
/** Streams that are checked at once, because other requests need the database too. */
const ASKED_TOGETHER = 100;

export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  readonly #timer: NodeJS.Timeout;
  readonly #unwatch: () => void;
  /** Answers that may become streams. */
  #awaited = 0;
  /** Number of checks of all streams, or of all streams of a server. */
  #looks = 0;

  constructor(serverChanges: ServerChanges, accessChanges: AccessChanges) {
    serverChanges.listen((serverId, change) => {
      const concerns = (stream: OpenStream) => stream.serverId === serverId;
      // Ends them at once: their source is closed as well, and later they could only break off.
      if (change !== 'deleted') return this.#checkInBackground(concerns);
      for (const stream of [...this.#streams].filter(concerns)) {
        inBackground('the end of a stream', () => stream.close());
      }
    });
    this.#unwatch = accessChanges.watch({
      isOpen: () => this.#streams.size + this.#awaited > 0,
      look: () => this.check(() => true),
    });
    const keepAlive = () => {
      for (const stream of this.#streams) {
        inBackground(
          'the keep-alive of a stream',
          () => stream.inject(KEEP_ALIVE),
          () => stream.close(),
        );
      }
      this.#checkInBackground(() => true);
    };
    this.#timer = setInterval(guarded('the keep-alive of streams', keepAlive), KEEP_ALIVE_MILLISECONDS);
    this.#timer.unref();
  }

  /**
   * Call it before the access of a request is read. An answer may begin to stream long after that, and a change in
   * between only reaches streams that have begun. So `add` also checks the stream when a change came in between.
   */
  await(): AwaitedStream {
    this.#awaited += 1;
    return new AwaitedStream(this, this.#looks);
  }

  /** @internal For AwaitedStream: `looks` is the number of checks when its wait began. */
  add(stream: OpenStream, looks: number): void {
    this.#streams.add(stream);
    if (this.#looks !== looks) inBackground('a check of a new stream', () => this.#checkOne(stream));
  }

  /** @internal For AwaitedStream. */
  endWait(): void {
    this.#awaited -= 1;
  }

  remove(stream: OpenStream): void {
    this.#streams.delete(stream);
  }

  /** Ends the streams that may not stay open, and notifies the others of changes. */
  async check(concerns: (stream: OpenStream) => boolean): Promise<void> {
    this.#looks += 1;
    const concerned = [...this.#streams].filter(concerns);
    for (let first = 0; first < concerned.length; first += ASKED_TOGETHER) {
      await Promise.all(concerned.slice(first, first + ASKED_TOGETHER).map((stream) => this.#checkOne(stream)));
    }
  }

  #checkInBackground(concerns: (stream: OpenStream) => boolean): void {
    inBackground('a check of open streams', () => this.check(concerns));
  }

  /** Never rejects. A stream whose check fails ends: its reader may have lost the access. */
  #checkOne(stream: OpenStream): Promise<void> {
    const judge = async () => {
      const found = await stateOf(stream);
      if (!this.#streams.has(stream)) return;
      if (found === 'changed' || found === 'replaced') announce(stream);
      // Its reader opens another one, from the current sources.
      if (found === 'ended' || found === 'replaced') stream.close();
    };
    return attempt('a check of an open stream', judge, () => stream.close());
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

async function stateOf(stream: OpenStream): ReturnType<OpenStream['check']> {
  try {
    return await stream.check();
  } catch (error) {
    // When the database does not answer, the access is unknown; the next check follows.
    if (error instanceof Unavailable) return 'same';
    throw error;
  }
}

function announce(stream: OpenStream): void {
  const meta =
    stream.subscription === undefined ? {} : { params: { _meta: { [SUBSCRIPTION_ID_KEY]: stream.subscription } } };
  for (const list of stream.lists) {
    stream.inject(eventOf({ jsonrpc: '2.0', method: `notifications/${list}/list_changed`, ...meta }));
  }
}
