/** The end of a request: publishes and records its answer while it is sent to the client. */
import type { ServerAccess, ServerFacts } from '../arrive/server-access.ts';
import type { Admitted } from '../decide/admitted.ts';
import type { Policies } from '../decide/policies.ts';
import type { Screened } from '../decide/screen.ts';
import type { Exchange } from '../record/exchange.ts';
import { type Listener, versionOf } from './listener.ts';
import type { Relay, RelayEnd, RelayWatcher } from './relay.ts';
import { RunningAnswer } from './running-answer.ts';
import type { OpenStream, OpenStreams } from './streams.ts';

/** The parts of a call that are kept until its answer streams. */
interface Passing {
  readonly exchange: Exchange;
  /** Reads the current access. */
  readonly readAccess: () => Promise<ServerAccess>;
  readonly mark: number;
}

export interface PassageParts {
  readonly streams: OpenStreams;
  readonly policies: Policies;
  record(exchange: Exchange, end: RelayEnd): void;
}

/** The request and its server. Without `admitted`, the server authenticates its callers itself. */
interface Asked {
  readonly server: ServerFacts;
  readonly admitted: Admitted | undefined;
  readonly screened: Screened | undefined;
  /** Set when the answer is a stream that stays open. */
  readonly listener: Listener | undefined;
}

/** A streaming answer can be ended from here, so it is kept while it streams. */
export class Passage implements RelayWatcher {
  readonly #parts: PassageParts;
  readonly #call: Passing;
  readonly #asked: Asked;
  #stream: OpenStream | undefined;

  constructor(parts: PassageParts, { exchange, readAccess, mark }: Passing, asked: Asked) {
    this.#parts = parts;
    this.#call = { exchange, readAccess, mark };
    this.#asked = asked;
  }

  streaming(relay: Relay): void {
    this.#call.exchange.leave();
    this.#stream = this.#asked.listener ?? this.#runningAnswer();
    this.#stream.attach(relay);
    this.#parts.streams.add(this.#stream, this.#call.mark);
  }

  finished(end: RelayEnd): void {
    if (this.#stream) this.#parts.streams.remove(this.#stream);
    this.#parts.record(this.#call.exchange, end);
  }

  #runningAnswer(): RunningAnswer {
    const { server, admitted, screened } = this.#asked;
    return new RunningAnswer({
      serverId: server.id,
      capability: screened?.capability,
      batchPolicy: admitted && screened?.method === 'batch' ? versionOf(server, admitted.view) : undefined,
      untouched: !admitted,
      policies: this.#parts.policies,
      readAccess: this.#call.readAccess,
    });
  }
}
