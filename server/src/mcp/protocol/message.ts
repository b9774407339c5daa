/**
 * One message of the protocol as the gateway reads it: only what it decides on. The bytes travel on as they came, so what
 * could be read in two ways is refused.
 */
import { isUtf8 } from 'node:buffer';
import { ambiguityOf, KeyNames } from './unambiguous.ts';

export type MessageId = string | number;

export interface Request {
  readonly kind: 'request';
  readonly id: MessageId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface Notification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The answer of a client to a request of the server. */
export interface Response {
  readonly kind: 'response';
  readonly id: MessageId;
}

export type Message = Request | Notification | Response;

export type ReadBody =
  | { readonly kind: 'single'; readonly message: Message }
  | { readonly kind: 'batch'; readonly messages: readonly Message[] }
  | { readonly kind: 'refused'; readonly code: number; readonly reason: string; readonly id: MessageId | undefined };

/** Codes of JSON-RPC 2.0 and of the protocol. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INVALID_PARAMS = -32602;
export const RESOURCE_NOT_FOUND = -32002;
export const HEADER_MISMATCH = -32020;

const MESSAGE_KEYS = new KeyNames('jsonrpc', 'id', 'method', 'params', 'result', 'error');
const PARAMETER_KEYS = new KeyNames(
  'name',
  'uri',
  'ref',
  '_meta',
  'notifications',
  'inputResponses',
  'requestState',
  'taskId',
);
const REFERENCE_KEYS = new KeyNames('type', 'name', 'uri');
const NO_PARAMETERS: Readonly<Record<string, unknown>> = Object.freeze({});

export function readMessages(body: Buffer): ReadBody {
  if (!isUtf8(body)) return refused(PARSE_ERROR, 'The body is not UTF-8.');
  const text = body.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused(PARSE_ERROR, 'The body is not JSON.');
  }
  const ambiguity = ambiguityOf(text);
  if (ambiguity !== undefined) return refused(INVALID_REQUEST, ambiguity, idOf(value));
  if (!Array.isArray(value)) {
    const message = readMessage(value);
    return typeof message === 'string' ? refused(INVALID_REQUEST, message, idOf(value)) : { kind: 'single', message };
  }
  if (value.length === 0) return refused(INVALID_REQUEST, 'A batch holds at least one message.');
  const messages = value.map(readMessage);
  const fault = messages.find((message) => typeof message === 'string');
  return fault === undefined
    ? { kind: 'batch', messages: messages as Message[] }
    : refused(INVALID_REQUEST, fault as string);
}

/** A sentence when it is no message. */
function readMessage(value: unknown): Message | string {
  if (!isObject(value)) return 'A message is an object.';
  if (value['jsonrpc'] !== '2.0') return 'A message says "jsonrpc": "2.0".';
  if (MESSAGE_KEYS.hasLookalikeIn(value)) return 'A key is one of the protocol but for its case.';
  const { id, method, params } = value;
  if (id !== undefined && typeof id !== 'string' && !(typeof id === 'number' && Number.isInteger(id))) {
    return 'An id is a string or a whole number.';
  }
  if (method === undefined) {
    if (id === undefined) return 'A message has a method or an id.';
    if (!('result' in value) && !('error' in value)) return 'A response has a result or an error.';
    return { kind: 'response', id };
  }
  if (typeof method !== 'string') return 'A method is a string.';
  if ('result' in value || 'error' in value) return 'A message is a request or a response.';
  if (params !== undefined && !isObject(params)) return 'Parameters are an object.';
  if (params && PARAMETER_KEYS.hasLookalikeIn(params)) return 'A key is one of the protocol but for its case.';
  const reference = params?.['ref'];
  if (isObject(reference) && REFERENCE_KEYS.hasLookalikeIn(reference)) {
    return 'A key is one of the protocol but for its case.';
  }
  const read = params ?? NO_PARAMETERS;
  return id === undefined
    ? { kind: 'notification', method, params: read }
    : { kind: 'request', id, method, params: read };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function idOf(value: unknown): MessageId | undefined {
  const id = isObject(value) ? value['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

function refused(code: number, reason: string, id?: MessageId): ReadBody {
  return { kind: 'refused', code, reason, id };
}
