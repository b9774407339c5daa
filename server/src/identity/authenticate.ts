import { createHash, timingSafeEqual } from 'node:crypto';
import type { Config } from '../config.ts';
import { Unauthorized } from '../errors.ts';

/**
 * Refuses a request that does not carry the credential its access mode asks for.
 * Source: reference behaviour, basic auth (one fixed `user:password`, compared in constant time).
 */
export function authenticate(config: Config, authorization: string | undefined): void {
  if (config.apiAuth === 'open') return;
  const wanted = `Basic ${Buffer.from(config.apiAuthString).toString('base64')}`;
  if (!authorization || !sameText(authorization, wanted)) throw new Unauthorized('Unauthorized');
}

/** The same rule for the first frame of a websocket, whose token is the whole `user:password` string. */
export function isSocketToken(config: Config, token: string): boolean {
  return config.apiAuth === 'open' || sameText(token, config.apiAuthString);
}

/** Digests have one length, so the comparison takes the same time whatever the texts are. */
function sameText(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
