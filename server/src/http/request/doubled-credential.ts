import type { IncomingMessage } from 'node:http';

/**
 * Invalidates a credential that a request sends twice. Node keeps the first, a proxy may have checked the other, and
 * the intended one is unknown.
 */
export function spoilDoubledCredential({ headers, rawHeaders }: IncomingMessage): void {
  if (headers.authorization === undefined) return;
  const names = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization');
  if (names.length > 1) headers.authorization = '';
}
