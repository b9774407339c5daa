/** JSON-RPC messages as far as the bridge looks into them. */
import { spanOf, textAt } from '../../protocol/json-span.ts';

export interface Message {
  /** As it was written, on one line. */
  readonly text: string;
  readonly kind: 'request' | 'notification' | 'response';
  /** Empty for a response. */
  readonly method: string;
  /** Tells ids apart (1 and "1" differ); empty for a notification. */
  readonly id: string;
  /** The id as it was written. */
  readonly idText: string;
  readonly value: MessageValue;
}

export interface MessageValue {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown };
}

const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

/** Undefined when the text is no single JSON-RPC message. */
export function readMessage(given: string): Message | undefined {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(given);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  // Line breaks between tokens end a message on stdio and an event on a stream.
  const text = /[\r\n]/.test(given) ? given.replace(/[\r\n]+/g, ' ') : given;
  const { id, method } = value;
  const isId = typeof id === 'string' || typeof id === 'number';
  const shared = { text, id: keyOfId(id), idText: isId ? idTextOf(text) : '', value };
  if (typeof method === 'string') {
    if (isId) return { ...shared, kind: 'request', method };
    return id === undefined ? { ...shared, kind: 'notification', method } : undefined;
  }
  if ((!isId && id !== null) || !('result' in value || 'error' in value)) return undefined;
  return { ...shared, kind: 'response', method: '' };
}

/** Tells ids apart as `id` of a message does; empty for what is no id. */
export function keyOfId(id: unknown): string {
  return typeof id === 'string' || typeof id === 'number' ? `${typeof id} ${id}` : '';
}

function idTextOf(text: string): string {
  const span = spanOf(text, ['id']);
  return span ? textAt(text, span) : '';
}

/** What a modern request says of its revision; undefined for a request of a session. */
export function modernVersionOf({ value }: Message): string | undefined {
  const version = metaOf(value)?.[PROTOCOL_VERSION_KEY];
  return typeof version === 'string' ? version : undefined;
}

export function metaOf({ params }: MessageValue): Readonly<Record<string, unknown>> | undefined {
  const meta = params?.['_meta'];
  return typeof meta === 'object' && meta !== null ? (meta as Record<string, unknown>) : undefined;
}

/** A JSON-RPC error; without an id where it is not known whose it is. */
export function errorText(idText: string, code: number, message: string, data?: object): string {
  const error = JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) });
  return `{"jsonrpc":"2.0",${idText === '' ? '' : `"id":${idText},`}"error":${error}}`;
}

export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
