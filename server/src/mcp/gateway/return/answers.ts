/** Tests whether a body is the answer to a request. */
import { checkValues } from '../../protocol/count-values.ts';
import { isResponseTo, type MessageId } from '../../protocol/message.ts';

/**
 * True when a JSON answer belongs to this request. Most answers show it at their beginning or their end, so they need
 * not be parsed; a client that gets another id would wait until it gives up. `bytes` is the body with a character for
 * each byte. Throws TooManyValues.
 */
export function answers(body: Buffer, bytes: string, id: MessageId): boolean {
  const written = `"id":${typeof id === 'number' ? id : latin1Of(JSON.stringify(id))}`;
  if (bytes.startsWith(`{"jsonrpc":"2.0",${written},`) || bytes.endsWith(`,${written}}`)) return true;
  const text = body.toString('utf8');
  checkValues(text);
  try {
    return isResponseTo(JSON.parse(text), id);
  } catch {
    return false;
  }
}

/** The UTF-8 bytes of a text, with a character for each. */
function latin1Of(text: string): string {
  return Buffer.from(text).toString('latin1');
}
