/**
 * Sealed ids that a client gets in place of the upstream's ids. An id holds its content encrypted, so it needs no
 * table, every replica can open it, and clients cannot make or change one.
 */
import type { Encryption } from './encryption.ts';

/** `kind` prevents opening an id as one of another kind. */
export function sealId(encryption: Encryption, kind: string, content: readonly unknown[]): string {
  return Buffer.from(encryption.encrypt(JSON.stringify([kind, ...content]))).toString('base64url');
}

/** Undefined for an id that was not sealed here as this kind. */
export function openId(encryption: Encryption, kind: string, sealed: string): unknown[] | undefined {
  try {
    const bytes = Buffer.from(sealed, 'base64url');
    // Decoding skips invalid characters, but an id has only one valid spelling.
    if (bytes.toString('base64url') !== sealed) return undefined;
    const content: unknown = JSON.parse(encryption.decrypt(bytes.toString('utf8')));
    return Array.isArray(content) && content[0] === kind ? content.slice(1) : undefined;
  } catch {
    return undefined;
  }
}
