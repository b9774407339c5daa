/** One call of an MCP server, with the results of its stages so far. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import type { ManifestFacts } from '../../manifest/manifests.ts';
import type { MessageId } from '../../protocol/message.ts';
import type { Sent } from '../arrive/receive-request.ts';
import type { ServerAccess } from '../arrive/server-access.ts';
import type { Admitted } from '../decide/admitted.ts';
import type { Screened } from '../decide/screen.ts';
import type { Exchange } from '../record/exchange.ts';

/**
 * The kinds of arrival: with a key or token, with the session of a person from the dashboard, and untouched, for a
 * server that authenticates its callers itself.
 */
export type Arrival = 'key' | 'session' | 'untouched';

export type AskAccess = (known: (access: ServerAccess) => void, failed: (error: unknown) => void) => void;

/** Each stage sets its part, and later stages rely on it. */
export class Call {
  readonly exchange: Exchange;
  arrival: Arrival;
  /** Reads the current access, and calls one of the two. */
  readonly askAccess: AskAccess;
  /** The moment at which its access was read, for what opens on it. */
  mark!: number;
  access!: ServerAccess;
  admitted!: Admitted;
  /** Time of admission, by `performance.now()`. */
  admittedAt = 0;
  sent!: Sent;
  facts!: ManifestFacts;
  screened!: Screened;
  /** Undefined until the message is read, and for a message that is not a request. */
  messageId: MessageId | undefined;
  /** Allowance for the texts and patterns of users in this call. */
  readonly work = new WorkAllowance();

  constructor(exchange: Exchange, arrival: 'key' | 'session', askAccess: AskAccess) {
    this.exchange = exchange;
    this.arrival = arrival;
    this.askAccess = askAccess;
  }

  /** Reads the current access; streams read it again while they are open. */
  readonly readAccess = (): Promise<ServerAccess> => new Promise(this.askAccess);

  get request(): IncomingMessage {
    return this.exchange.request;
  }

  get response(): ServerResponse {
    return this.exchange.response;
  }
}
