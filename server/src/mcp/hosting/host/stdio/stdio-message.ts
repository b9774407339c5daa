/** JSON-RPC messages as text: they are forwarded in their original notation, except for an id or a token. */
import { holdsTooManyValues } from '../../../protocol/count-values.ts';
import { spanOf, textAt } from '../../../protocol/json-span.ts';
import { type Message, messageOf } from '../../../protocol/message.ts';

export interface StdioMessage {
  /** The message in its original notation, on one line. */
  readonly text: string;
  readonly message: Message;
  /** Distinguishes ids (1 and "1" differ); empty without one. */
  readonly key: string;
  /** The id in its original notation; empty without one. */
  readonly idText: string;
  readonly value: MessageValue;
}

interface MessageValue {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown };
}

/** Undefined when the text is not a single JSON-RPC message, or has too many values. */
export function readStdioMessage(given: string): StdioMessage | undefined {
  if (holdsTooManyValues(given)) return undefined;
  let value: MessageValue;
  try {
    value = JSON.parse(given);
  } catch {
    return undefined;
  }
  const message = messageOf(value);
  // An error without an id answers no request; a program that prints one is logging.
  if (!message || (message.kind === 'response' && value.id === undefined)) return undefined;
  // Line breaks between tokens would end a message on stdio and an event on a stream.
  const text = /[\r\n]/.test(given) ? given.replace(/[\r\n]+/g, ' ') : given;
  const key = message.kind === 'notification' ? '' : keyOfId(message.id);
  return { text, message, key, idText: key === '' ? '' : idTextOf(text), value };
}

/** The `key` of a message with this id; empty when the value is not an id. */
export function keyOfId(id: unknown): string {
  return typeof id === 'string' || typeof id === 'number' ? `${typeof id} ${id}` : '';
}

function idTextOf(text: string): string {
  const span = spanOf(text, ['id']);
  return span ? textAt(text, span) : '';
}

/** A JSON-RPC error; without an id if the request is unknown. */
export function errorText(idText: string, code: number, message: string): string {
  return `{"jsonrpc":"2.0",${idText === '' ? '' : `"id":${idText},`}"error":${JSON.stringify({ code, message })}}`;
}
