/**
 * The messages in the body of a client's request. The gateway decides on the parsed message and forwards the original
 * bytes, so an ambiguous text is refused.
 */
import { isUtf8 } from 'node:buffer';
import { INVALID_REQUEST, PARSE_ERROR } from './codes.ts';
import { holdsTooManyValues, MAX_VALUES } from './count-values.ts';
import { isObject, type JsonObject, type Message, type MessageId, messageOf } from './message.ts';
import { ambiguityOf, KeyNames } from './unambiguous.ts';

export type ClientBody =
  /** `text` is the body, and `value` its parsed form. */
  | { readonly kind: 'single'; readonly message: Message; readonly text: string; readonly value: Readonly<JsonObject> }
  | { readonly kind: 'batch'; readonly messages: readonly Message[] }
  | { readonly kind: 'refused'; readonly code: number; readonly reason: string; readonly id: MessageId | undefined };

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
const LOOKALIKE = 'A key differs from a key of the protocol only in case.';

const MAX_BATCH = 1000;

/** The only code that parses a body: later decisions use its result. Time is linear in the body. */
export function readClientBody(body: Buffer): ClientBody {
  if (!isUtf8(body)) return refused(PARSE_ERROR, 'The body is not UTF-8.');
  const text = body.toString('utf8');
  if (holdsTooManyValues(text)) {
    return refused(INVALID_REQUEST, `A message may contain at most ${MAX_VALUES} values. Send large data as one text.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused(PARSE_ERROR, 'The body is not JSON.');
  }
  const ambiguity = ambiguityOf(text, value);
  if (ambiguity !== undefined) return refused(INVALID_REQUEST, ambiguity, idOf(value));
  if (!Array.isArray(value)) {
    const fault = faultOf(value);
    return fault === undefined
      ? { kind: 'single', message: messageOf(value)!, text, value: value as JsonObject }
      : refused(INVALID_REQUEST, fault, idOf(value));
  }
  if (value.length === 0) return refused(INVALID_REQUEST, 'A batch must contain at least one message.');
  if (value.length > MAX_BATCH) return refused(INVALID_REQUEST, `A batch may contain at most ${MAX_BATCH} messages.`);
  for (const one of value) {
    const fault = faultOf(one);
    if (fault !== undefined) return refused(INVALID_REQUEST, fault);
  }
  return { kind: 'batch', messages: value.map((one) => messageOf(one)!) };
}

/** The reason why a value is not exactly one message; undefined when it is. */
function faultOf(value: unknown): string | undefined {
  if (!isObject(value)) return 'A message must be an object.';
  if (value['jsonrpc'] !== '2.0') return 'A message must have "jsonrpc": "2.0".';
  if (MESSAGE_KEYS.hasLookalikeIn(value)) return LOOKALIKE;
  const { id, method, params } = value;
  if (id !== undefined && typeof id !== 'string' && !Number.isFinite(id)) {
    return 'An id must be a string or a number.';
  }
  const answers = 'result' in value || 'error' in value;
  if (method === undefined) {
    if (id === undefined) return 'A message must have a method or an id.';
    return answers ? undefined : 'A response must have a result or an error.';
  }
  if (typeof method !== 'string') return 'A method must be a string.';
  if (answers) return 'A message must be a request or a response.';
  if (params === undefined || params === null) return undefined;
  if (!isObject(params)) return 'Parameters must be an object.';
  const reference = params['ref'];
  const hasLookalike =
    PARAMETER_KEYS.hasLookalikeIn(params) || (isObject(reference) && REFERENCE_KEYS.hasLookalikeIn(reference));
  return hasLookalike ? LOOKALIKE : undefined;
}

function idOf(value: unknown): MessageId | undefined {
  const id = isObject(value) ? value['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

function refused(code: number, reason: string, id?: MessageId): ClientBody {
  return { kind: 'refused', code, reason, id };
}
