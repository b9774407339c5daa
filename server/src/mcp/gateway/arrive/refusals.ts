/** All refusals of the gateway, which are JSON-RPC errors. */

import type { ServerResponse } from 'node:http';
import { ApiError } from '../../../errors.ts';
import { ALL_MCP_SCOPES } from '../../../identity/callers/oauth-scopes.ts';
import {
  HEADER_MISMATCH,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  SESSION_NOT_FOUND,
} from '../../protocol/codes.ts';
import { TooManyValues } from '../../protocol/count-values.ts';
import { errorResponse, type MessageId } from '../../protocol/message.ts';
import { MAX_NAME } from '../../protocol/named-capability.ts';
import { REFUSED_CREDENTIAL, type UpstreamError, type UpstreamFault } from '../../upstream/upstream.ts';
import type { FailureKind } from './failures.ts';

export interface Refusal {
  /** HTTP status. */
  readonly status: number;
  /** Our codes are outside of -32768 … -32000, which JSON-RPC and the protocol reserve. */
  readonly code: number;
  readonly message: string;
  /** The kind of failure for the record, if it is not a refusal of the request. */
  readonly failure?: FailureKind;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Members that replace the error in the answer, next to the id. */
  readonly answer?: Readonly<Record<string, unknown>>;
  /** The body for a batch: an answer to each of its requests. */
  readonly answers?: readonly Readonly<Record<string, unknown>>[];
}

/** The facts about a refusal that the record needs. */
export type RecordedRefusal = Pick<Refusal, 'code' | 'failure'> & { readonly message?: string };

/** The gateway's own codes equal the status. */
function refusal(status: number, message: string, headers?: Refusal['headers']): Refusal {
  return { status, code: -31000 - status, message, ...(headers && { headers }) };
}

/** The refusal of a message that the protocol does not allow. */
function invalidRequest(message: string): Refusal {
  return { status: 400, code: INVALID_REQUEST, message };
}

/**
 * `isPresented` is true if the request carries an invalid credential. `metadata` is the address where a client learns
 * how a person signs it in; undefined if that is not possible. Source: RFC 6750, section 3; RFC 9728, section 5.1.
 */
export function unauthorized(
  isPresented: boolean,
  metadata: string | undefined,
  says = 'A valid API key is required: Authorization: Bearer sbx_…',
): Refusal {
  const error = isPresented ? ', error="invalid_token"' : '';
  const hint = metadata === undefined ? '' : `, resource_metadata="${metadata}", scope="${ALL_MCP_SCOPES}"`;
  return refusal(401, says, {
    'www-authenticate': `Bearer realm="signalbox"${error}${hint}`,
  });
}

/** The refusal when the granted scope is less than the message requires. Source: RFC 6750, section 3.1. */
export function insufficientScope(scope: string, metadata: string | undefined): Refusal {
  const hint = metadata === undefined ? '' : `, resource_metadata="${metadata}"`;
  return refusal(403, `The client needs the scope ${scope} for this. Sign in again to allow it.`, {
    'www-authenticate': `Bearer realm="signalbox", error="insufficient_scope", scope="${scope}"${hint}`,
  });
}

export const FORBIDDEN = refusal(403, 'You have no access to this server.');

/** The refusal of a key that the organization does not accept, with the reason as a sentence. */
export function refusedKey(says: string): Refusal {
  return refusal(403, says);
}

export const NO_WORKSPACE_ROLE = refusal(403, 'You have no role in the workspace of this server.');

export const OWN_AUTHENTICATION = refusal(
  403,
  'This server authenticates its callers itself, so it cannot be used from the dashboard.',
);

/** The policy denies a name. The text is the same for every name, so that it reveals nothing. */
export const CAPABILITY_FORBIDDEN = refusal(403, 'The policy of this server does not allow you to use this.');

/**
 * The last message of an answer whose reader lost the key, the role, the capability or the server during the stream.
 */
export const ACCESS_ENDED: Refusal = {
  ...refusal(403, 'Your access to this server has ended.'),
  failure: 'access_ended',
};

/** For the other requests of a batch in which one was refused. */
export const NOT_SENT = refusal(424, 'This message was not sent, because another message of the batch was refused.');

/** For a task that does not exist, belongs to another actor, or runs a capability that the policy denies. */
export const UNKNOWN_TASK: Refusal = { status: 200, code: INVALID_PARAMS, message: 'Task not found' };

export const BATCHED_TASK = invalidRequest('A batch cannot contain requests about tasks.');

/** A message without an id gets no answer, so its method must not be one about which a policy decides. */
export const ID_MISSING = invalidRequest(
  'A message without an id must be a notification: its method must begin with notifications/.',
);

export const LONG_NAME: Refusal = {
  status: 400,
  code: INVALID_PARAMS,
  message: `The name of a tool or prompt and the URI of a resource may have at most ${MAX_NAME} characters.`,
};

export const NOT_FOUND = refusal(404, 'There is no server at this address.');

/** MCP servers have an origin of their own, and the request came to another. */
export function servedElsewhere(serversUrl: string): Refusal {
  return refusal(404, `MCP servers are available only at ${serversUrl}.`);
}

export const FOREIGN_ORIGIN = foreignHost('Requests from this origin, or to this host name, are not accepted.');

export function foreignHost(message: string): Refusal {
  return refusal(403, message);
}

export const UNKNOWN_SESSION: Refusal = { status: 404, code: SESSION_NOT_FOUND, message: 'Session not found' };

export const METHOD_NOT_ALLOWED = refusal(405, 'Use POST, GET or DELETE.', {
  allow: 'GET, POST, DELETE',
});

/** The answer to a request that does not accept both forms of an answer, if the server requires it. */
export const NOT_ACCEPTABLE = refusal(
  406,
  'The request must accept application/json and text/event-stream: the server answers in either.',
);

/** The answer to a GET. */
export const NO_STREAM = refusal(405, 'The server has no stream.', { allow: 'POST, DELETE' });

export const TOO_LARGE = refusal(413, 'The message is too large.');

export const TOO_SLOW = refusal(408, 'The message arrived too slowly.');

export const NO_ROOM = refusal(503, 'The server is receiving too many messages. Try again in a moment.', {
  'retry-after': '1',
});

export const BUSY = refusal(503, 'Too many requests are waiting for answers. Try again in a moment.', {
  'retry-after': '1',
});

/** The process that keeps the session lives, and does not answer. */
export const HOLDER_AWAY = refusal(
  503,
  'The server that keeps this session cannot be reached. Try again in a moment.',
  {
    'retry-after': '1',
  },
);

export const NOT_JSON = refusal(415, 'Send the message as application/json, without a content encoding.');

export const BATCH = invalidRequest('This protocol revision has no batches, and a batch cannot open a session.');

export const BATCH_HEADERS: Refusal = {
  ...invalidRequest('The headers Mcp-Method and Mcp-Name cannot describe a batch.'),
  code: HEADER_MISMATCH,
};

/** The caller has used up a quota of the server. Source: RFC 6585, section 4. */
export function quotaRefusal({
  message,
  retryAfterSeconds,
}: {
  readonly message: string;
  readonly retryAfterSeconds: number;
}): Refusal {
  return { ...refusal(429, message, { 'retry-after': String(retryAfterSeconds) }), failure: 'quota' };
}

/** The answer is larger than the limit of the server. */
export function resultTooLarge(maxBytes: number): Refusal {
  const message = `The answer is larger than the ${maxBytes} bytes that are allowed for this server.`;
  return { ...refusal(502, message), failure: 'too_large' };
}

const INTERNAL: Refusal = {
  status: 500,
  code: INTERNAL_ERROR,
  message: 'Something went wrong here.',
  failure: 'internal',
};

/** The refusal after an error during a request, which may come from an unavailable or full database. */
export function faultRefusal(error: unknown): Refusal {
  if (!(error instanceof ApiError)) return INTERNAL;
  return { ...refusal(error.status, error.message, error.headers), failure: 'internal' };
}

const statusOfFault: Readonly<Record<UpstreamFault, number>> = {
  connection: 502,
  refused: 502,
  answer: 502,
  timeout: 504,
  unavailable: 503,
  absent: 404,
  credential: 403,
};

export function upstreamRefusal({ fault, message, retryAfterSeconds, data }: UpstreamError): Refusal {
  const headers = retryAfterSeconds === undefined ? undefined : { 'retry-after': String(retryAfterSeconds) };
  return { ...refusal(statusOfFault[fault], message, headers), failure: fault, ...(data && { data }) };
}

/** The server refuses the credential of the platform. The caller's own is valid, so this is not a 401. */
export const UPSTREAM_REFUSED: Refusal = { ...refusal(502, REFUSED_CREDENTIAL), failure: 'target_credential' };

export const UNUSABLE_ANSWER = unusable('The gateway cannot forward the answer of the server.');
export const TOO_MANY_VALUES = unusable(new TooManyValues().message);

function unusable(message: string): Refusal {
  return { ...refusal(502, message), failure: 'unusable' };
}

function bodyOf(refusal: Refusal, id: MessageId | undefined): string {
  return JSON.stringify(refusal.answers ?? answerOf(refusal, id));
}

/** The JSON-RPC message of the refusal, as the answer to one request or, without an id, to no particular one. */
export function answerOf(
  { code, message, data, answer }: Refusal,
  id: MessageId | undefined,
): Readonly<Record<string, unknown>> {
  if (answer && id !== undefined) return { jsonrpc: '2.0', id, ...answer };
  return errorResponse(id, code, message, data);
}

/** Sends the refusal and ends the response. Returns the number of bytes sent. */
export function answerRefusal(response: ServerResponse, refusal: Refusal, requestId: string, id?: MessageId): number {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return 0;
  }
  const body = Buffer.from(bodyOf(refusal, id));
  response.writeHead(refusal.status, {
    'x-request-id': requestId,
    'content-type': 'application/json',
    'content-length': body.length,
    ...refusal.headers,
  });
  response.end(body);
  return body.length;
}
