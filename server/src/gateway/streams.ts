/**
 * The streams that stay open: the GET streams of the legacy revisions and `subscriptions/listen` of the modern one. Each
 * is asked every few seconds whether it may stay open, and told when what its reader may see has changed.
 */
import type { ServerChanges } from '../server-changes.ts';
import { eventOf } from './event-stream.ts';
import type { MessageId } from './message.ts';

export const CAPABILITY_LISTS = ['tools', 'prompts', 'resources'] as const;
export type CapabilityList = (typeof CAPABILITY_LISTS)[number];

export interface OpenStream {
  readonly serverId: string;
  /** The lists whose changes its reader wants to hear of. */
  readonly lists: readonly CapabilityList[];
  /** Id of the request that listens, for the modern revision. */
  readonly subscription: MessageId | undefined;
  /** Reads anew whether the reader may still listen, and whether it sees other lists than at the last check. */
  check(): Promise<'ended' | 'changed' | 'same'>;
  inject(event: Buffer): void;
  close(): void;
}

const CHECK_MILLISECONDS = 5000;
/** Proxies between a client and here end connections that are silent for longer. */
const KEEP_ALIVE_CHECKS = 5;
const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');
const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  readonly #timer: NodeJS.Timeout;
  #checks = 0;

  constructor(changes: ServerChanges) {
    changes.listen((serverId, change) => {
      const concerns = (stream: OpenStream) => stream.serverId === serverId;
      // At once: what the streams come from is closed as well, and then they could only break off.
      if (change === 'deleted') for (const stream of [...this.#streams].filter(concerns)) stream.close();
      else void this.check(concerns);
    });
    this.#timer = setInterval(() => {
      this.#checks += 1;
      if (this.#checks % KEEP_ALIVE_CHECKS === 0) for (const stream of this.#streams) stream.inject(KEEP_ALIVE);
      void this.check(() => true);
    }, CHECK_MILLISECONDS);
    this.#timer.unref();
  }

  add(stream: OpenStream): void {
    this.#streams.add(stream);
  }

  remove(stream: OpenStream): void {
    this.#streams.delete(stream);
  }

  /** Ends the streams that may stay no longer, and tells the others what changed. */
  async check(concerns: (stream: OpenStream) => boolean): Promise<void> {
    await Promise.all(
      [...this.#streams].filter(concerns).map(async (stream) => {
        // When the database does not answer, nothing is known; the next check follows.
        const found = await stream.check().catch(() => 'same' as const);
        if (!this.#streams.has(stream)) return;
        if (found === 'ended') stream.close();
        if (found === 'changed') announce(stream);
      }),
    );
  }

  close(): void {
    clearInterval(this.#timer);
    for (const stream of this.#streams) stream.close();
  }
}

function announce(stream: OpenStream): void {
  const meta =
    stream.subscription === undefined ? {} : { params: { _meta: { [SUBSCRIPTION_KEY]: stream.subscription } } };
  for (const list of stream.lists) {
    stream.inject(eventOf({ jsonrpc: '2.0', method: `notifications/${list}/list_changed`, ...meta }));
  }
}
