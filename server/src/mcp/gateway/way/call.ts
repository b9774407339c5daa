/** One call of an MCP server on its way: what the stages have found out so far. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import type { ManifestFacts } from '../../manifest/manifests.ts';
import type { MessageId } from '../../protocol/message.ts';
import type { Sent } from '../arrive/receive-request.ts';
import type { ServerAccess } from '../arrive/server-access.ts';
import type { Admitted } from '../decide/admitted.ts';
import type { Screened } from '../decide/screen.ts';
import type { Exchange } from '../record/exchange.ts';
import type { AwaitedStream } from '../return/streams.ts';

/**
 * The ways of arriving: with a key or token, with the session of a person from the dashboard, and untouched, at a server
 * that authenticates its callers itself.
 */
export type Arrival = 'key' | 'session' | 'untouched';

/** Each stage sets its part, and later stages rely on it. */
export class Call {
  readonly exchange: Exchange;
  arrival: Arrival;
  /** The access as it is now; streams read it again while they are open. */
  readonly readAccess: () => Promise<ServerAccess>;
  awaited!: AwaitedStream;
  access!: ServerAccess;
  admitted!: Admitted;
  /** When it was admitted, by `performance.now()`. */
  admittedAt = 0;
  sent!: Sent;
  facts!: ManifestFacts;
  screened!: Screened;
  /** Undefined until the message is read, and for one that is no request. */
  messageId: MessageId | undefined;
  /** What the texts and patterns of users may take in this call. */
  readonly work = new WorkAllowance();

  constructor(exchange: Exchange, arrival: 'key' | 'session', readAccess: () => Promise<ServerAccess>) {
    this.exchange = exchange;
    this.arrival = arrival;
    this.readAccess = readAccess;
  }

  get request(): IncomingMessage {
    return this.exchange.request;
  }

  get response(): ServerResponse {
    return this.exchange.response;
  }
}
