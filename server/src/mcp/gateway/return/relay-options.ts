/** The options of a relay: its filter, its limits, and what becomes of a failed answer. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { MessageId } from '../../protocol/message.ts';
import type { MessageFilter } from './answer-filter.ts';
import type { FailedRequest } from './failed-answer.ts';

export interface RelayOptions {
  readonly requestId: string;
  readonly id: MessageId | undefined;
  /** True when the server authenticates its callers itself: its 401 and its redirects go to the client. */
  readonly untouched: boolean;
  /** The headers for the client from those of the answer. */
  headersOf(headers: IncomingHttpHeaders): OutgoingHttpHeaders;
  /** Undefined when nothing is filtered. */
  readonly filter: MessageFilter | undefined;
  /** Rewrites a whole JSON answer if needed. Returns undefined when the answer cannot be forwarded. */
  readonly rewrite: ((body: Buffer) => Buffer | undefined) | undefined;
  /**
   * Resolves when the bytes that were rewritten now may be sent; undefined if they may be sent at once. Never rejects.
   */
  readonly settled?: (() => Promise<void> | undefined) | undefined;
  /** The most bytes of an answer, or of an event in a stream. */
  readonly maxBytes?: number | undefined;
  /** True for a stream that stays open: others may write whole events into it. */
  readonly stream: boolean;
  /** The request, if it affects how an error status of the server is forwarded. */
  readonly failing?: FailedRequest;
  /** True if an error of the server must not end more than the request: it is sent with status 200. */
  readonly keepsSession?: boolean;
}
