import type { IncomingMessage } from 'node:http';

/**
 * Makes a credential that came twice worth nothing. Node keeps the first; something between may have looked at the other,
 * and which one was meant is anybody's guess.
 */
export function spoilDoubledCredential({ headers, rawHeaders }: IncomingMessage): void {
  if (headers.authorization === undefined) return;
  const names = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization');
  if (names.length > 1) headers.authorization = '';
}
