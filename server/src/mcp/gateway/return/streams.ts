/**
 * The streams that stay open: the GET streams of the legacy revisions, `subscriptions/listen` of the modern one, and
 * every answer that streams. After each change of access, each stream is checked whether it may stay open, and a
 * listener gets a notification when its visible lists have changed.
 */

import { ANY, type Hub } from '../../../changes/hub.ts';
import type { OpenThing, OpenThings } from '../../../identity/access/open-things.ts';
import { guarded, inBackground } from '../../../watching/background.ts';
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

/** Proxies between a client and here end connections that are silent for longer. */
const KEEP_ALIVE_MILLISECONDS = 25_000;
const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');

export class OpenStreams {
  /** The streams, each with its thing among all that is open. */
  readonly #streams = new Map<OpenStream, { readonly thing: OpenThing; readonly forget: () => void }>();
  readonly #openThings: OpenThings;
  readonly #keepAlives: NodeJS.Timeout;

  constructor(hub: Hub, openThings: OpenThings) {
    this.#openThings = openThings;
    hub.hear('servers', ANY, (change, serverId) => {
      const concerns = (stream: OpenStream) => stream.serverId === serverId;
      // Ends them at once: their source is closed as well, and later they could only break off.
      if (change !== 'deleted') return this.check(concerns);
      for (const stream of [...this.#streams.keys()].filter(concerns)) {
        inBackground('the end of a stream', () => stream.close());
      }
      return undefined;
    });
    const keepAlive = () => {
      for (const stream of this.#streams.keys()) {
        inBackground(
          'the keep-alive of a stream',
          () => stream.inject(KEEP_ALIVE),
          () => stream.close(),
        );
      }
    };
    this.#keepAlives = setInterval(guarded('the keep-alive of streams', keepAlive), KEEP_ALIVE_MILLISECONDS);
    this.#keepAlives.unref();
  }

  /** `mark` is from the time before the access of its request was read. */
  add(stream: OpenStream, mark: number): void {
    const thing = { check: () => this.#check(stream), end: () => stream.close() };
    this.#streams.set(stream, { thing, forget: this.#openThings.keep(thing, mark) });
  }

  remove(stream: OpenStream): void {
    this.#streams.get(stream)?.forget();
    this.#streams.delete(stream);
  }

  /** Ends the streams that may not stay open, and notifies the others of changes. */
  async check(concerns: (stream: OpenStream) => boolean): Promise<void> {
    const concerned = [...this.#streams].filter(([stream]) => concerns(stream));
    await this.#openThings.check(concerned.map(([, { thing }]) => thing));
  }

  async #check(stream: OpenStream): Promise<void> {
    const found = await stream.check();
    if (!this.#streams.has(stream)) return;
    if (found === 'changed' || found === 'replaced') announce(stream);
    // Its reader opens another one, from the current sources.
    if (found === 'ended' || found === 'replaced') stream.close();
  }

  close(): void {
    clearInterval(this.#keepAlives);
    for (const stream of this.#streams.keys()) stream.close();
  }
}

function announce(stream: OpenStream): void {
  const meta =
    stream.subscription === undefined ? {} : { params: { _meta: { [SUBSCRIPTION_ID_KEY]: stream.subscription } } };
  for (const list of stream.lists) {
    stream.inject(eventOf({ jsonrpc: '2.0', method: `notifications/${list}/list_changed`, ...meta }));
  }
}
