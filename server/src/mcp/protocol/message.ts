/**
 * JSON-RPC messages: the only code that classifies a parsed value. Messages of servers and programs are read leniently
 * here, because only the client depends on them; `client-message.ts` adds the stricter rules for a client's message.
 * Source: JSON-RPC 2.0; modelcontextprotocol.io/specification/2025-11-25/basic, "Messages".
 */
import { isRawNumber, readExactly } from './exact-json.ts';

export type JsonObject = Record<string, unknown>;
export type MessageId = string | number;

export interface Request {
  readonly kind: 'request';
  readonly id: MessageId;
  readonly method: string;
  readonly params: Readonly<JsonObject>;
}

export interface Notification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: Readonly<JsonObject>;
}

/** The answer to a request of a client or a server. */
interface Response {
  readonly kind: 'response';
  /** Null in an error about an unreadable request. */
  readonly id: MessageId | null;
}

export type Message = Request | Notification | Response;

const NO_PARAMETERS: Readonly<JsonObject> = Object.freeze({});

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON-RPC kind of a parsed value; undefined when it is not a message. */
export function kindOf(value: unknown): Message['kind'] | undefined {
  if (!isObject(value)) return undefined;
  const { id, method } = value;
  if (method === undefined) return 'result' in value || 'error' in value ? 'response' : undefined;
  if (typeof method !== 'string') return undefined;
  if (id === undefined) return 'notification';
  return isId(id) ? 'request' : undefined;
}

/** Undefined when the value is not a message. */
export function messageOf(value: unknown): Message | undefined {
  const kind = kindOf(value);
  if (kind === undefined) return undefined;
  const { id, method, params } = value as JsonObject;
  if (kind === 'response') return { kind, id: isId(id) ? id : null };
  const read = isObject(params) ? givenIn(params) : NO_PARAMETERS;
  return kind === 'request'
    ? { kind, id: id as MessageId, method: method as string, params: read }
    : { kind, method: method as string, params: read };
}

/** Removes null members, which many clients write for omitted ones. Returns the same object if there is none. */
export function givenIn(params: JsonObject): JsonObject {
  for (const name in params) {
    if (params[name] === null) return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
  }
  return params;
}

/** The message in a text, with every number in its notation; undefined when the text is not a single message. */
export function readMessage(text: string): JsonObject | undefined {
  const value = readExactly(text);
  return kindOf(value) === undefined ? undefined : (value as JsonObject);
}

/**
 * True for the answer to a request. An error without an id also counts, because its sender could not read the request.
 */
export function isResponseTo(value: unknown, id: unknown): value is JsonObject {
  if (kindOf(value) !== 'response') return false;
  const response = value as JsonObject;
  return response['id'] === id || ('error' in response && (response['id'] ?? null) === null);
}

/** An error response; without an id if the request is unknown. */
export function errorResponse(id: unknown, code: number, message: string, data?: unknown): JsonObject {
  const error = data === undefined ? { code, message } : { code, message, data };
  return id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error };
}

function isId(id: unknown): id is MessageId {
  return typeof id === 'string' || typeof id === 'number' || isRawNumber(id);
}
