/**
 * Replaces the ids and progress tokens of callers by numbers of the process, so that equal ones cannot collide,
 * including those of a client that reuses an id after giving up.
 */
import { replaceAt, spanOf, textAt, withValue } from '../../../protocol/json-span.ts';

const TOKEN_OF_REQUEST = ['params', '_meta', 'progressToken'];
const TOKEN_OF_NOTIFICATION = ['params', 'progressToken'];

interface Exchanged {
  /** The message with the number. */
  readonly text: string;
  /** The caller's token in its original notation; empty without one. */
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
