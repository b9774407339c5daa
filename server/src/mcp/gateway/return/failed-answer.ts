/**
 * Decides how an answer with an error status is forwarded. Some statuses have a meaning for a client of the protocol
 * (its credential, its session, the method): only the gateway itself uses those, and a server's equal status is
 * translated, unless the protocol prescribes it. A status without a message, which proxies and crashing servers send,
 * becomes an error of the gateway that names the status. Source:
 * modelcontextprotocol.io/specification/2025-11-25/basic/transports and /2026-07-28/basic/transports.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Era } from '../../protocol/era.ts';
import { type JsonObject, kindOf, type MessageId } from '../../protocol/message.ts';
import { failedStatus } from '../../upstream/failed-status.ts';
import { NO_STREAM, NOT_ACCEPTABLE, type Refusal, upstreamRefusal } from '../arrive/refusals.ts';

/** The request with the failed answer. */
export interface FailedRequest {
  readonly method: string;
  readonly id: MessageId | undefined;
  readonly hasSession: boolean;
  readonly era: Era;
}

interface FailedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** In addition to 401 and 407, which concern credentials. */
const OF_THE_GATEWAY: ReadonlySet<number> = new Set([403, 404, 405, 410, 429]);
/** Statuses, in addition to 405, with which servers without a stream answer a GET. */
const WITHOUT_STREAM: ReadonlySet<number> = new Set([400, 404, 406, 501]);
/** Some servers report in plain text that a session has ended. */
const NAMES_SESSION = /session/i;
const LOOKED_AT = 1000;

/** The status with which the answer is forwarded, or the refusal that replaces it. */
export function judgeFailure(answer: FailedAnswer, request: FailedRequest): number | Refusal {
  const { status, headers, body } = answer;
  const message = parsed(body);
  const isMessage = isJsonRpc(message);
  const endsSession =
    status === 404 && request.hasSession && (isMessage || NAMES_SESSION.test(body.toString('latin1', 0, LOOKED_AT)));
  if (endsSession) return status;
  if (request.method !== 'POST') {
    if (status === 405 || (status === 404 && request.method === 'DELETE')) return status;
    if (request.method === 'GET' && WITHOUT_STREAM.has(status)) return NO_STREAM;
  } else if (isMessage && isPrescribed(status, request, message)) return status;
  else if (isMessage && message['id'] === request.id) return 200;
  else if (status === 406) return NOT_ACCEPTABLE;
  return upstreamRefusal(failedStatus(status, headers));
}

function isPrescribed(status: number, { era, id }: FailedRequest, message: JsonObject): boolean {
  if (status === 404) return era === 'modern';
  if (OF_THE_GATEWAY.has(status)) return false;
  return status < 500 || message['id'] === id;
}

function isJsonRpc(message: unknown): message is JsonObject {
  return kindOf(message) === 'response' && (message as JsonObject)['jsonrpc'] === '2.0';
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
