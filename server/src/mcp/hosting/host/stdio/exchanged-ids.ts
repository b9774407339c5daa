/**
 * Numbers of a process in place of the ids and progress tokens of its callers: equal ones cannot meet, also those of a client
 * that uses an id again because it has given up waiting.
 */
import { replaceAt, spanOf, textAt, withValue } from '../../../protocol/json-span.ts';

const TOKEN_OF_REQUEST = ['params', '_meta', 'progressToken'];
const TOKEN_OF_NOTIFICATION = ['params', 'progressToken'];

interface Exchanged {
  /** With the number. */
  readonly text: string;
  /** The caller's token as it was written; empty without one. */
  readonly tokenText: string;
}

export function withNumber(text: string, number: string): Exchanged {
  const token = spanOf(text, TOKEN_OF_REQUEST);
  return {
    text: withValue(token ? replaceAt(text, token, number) : text, ['id'], number),
    tokenText: token ? textAt(text, token) : '',
  };
}

/** A notification of progress with the caller's token. */
export function withOwnToken(text: string, { tokenText }: Pick<Exchanged, 'tokenText'>): string {
  return withValue(text, TOKEN_OF_NOTIFICATION, tokenText);
}
