import { hash } from 'node:crypto';

/** The stored form of a random secret (of a key, a session, an invitation): SHA-256 in hexadecimal. */
export function hashOfSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}
