/**
 * Secrets at rest: AES-256-GCM. There may be several keys: the first encrypts, all decrypt, and each encrypted text names
 * its key, so that keys can be changed while servers run (`platform/stored-secrets/rotate.ts`). Without the key the secrets are
 * lost.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type Key, Keyring, type KeySettings } from './keyring.ts';

export interface Encryption {
  /** Never returns the same text twice. */
  encrypt(text: string): string;
  /** Throws `DecryptionFailed` if the text was encrypted with an unknown key or was changed since. */
  decrypt(encrypted: string): string;
}

/** The message contains nothing of the text or the key. */
export class DecryptionFailed extends Error {
  constructor() {
    super(
      'A stored secret cannot be read with this encryption key. Start the server with the key it was written with.',
    );
  }
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';
/** The form of the encryption, so that a later form can be recognized. The first form did not name its key. */
const PREFIX = 'v2:';
const NAMELESS_PREFIX = 'v1:';

/** Reads the keys, or makes the key file. Throws ConfigError when its content is not a key. */
export function createEncryption(config: KeySettings, keyring = new Keyring(config)): Encryption {
  return {
    encrypt(text) {
      const key = keyring.current();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES });
      const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return prefixOf(key.id) + Buffer.concat([nonce, cipher.getAuthTag(), content]).toString('base64');
    },
    decrypt(encrypted) {
      const [, id, content = ''] = /^v2:([0-9a-f]+):(.*)$/s.exec(encrypted) ?? [];
      const keys = id === undefined ? keyring.all() : [keyring.find(id) ?? fail()];
      const base64 = id === undefined && encrypted.startsWith(NAMELESS_PREFIX) ? encrypted.slice(3) : content;
      const bytes = Buffer.from(base64, 'base64');
      // The decoder skips invalid characters, but a text has only one valid spelling.
      if (bytes.toString('base64') !== base64) return fail();
      for (const key of keys) {
        const text = decryptWith(key, bytes);
        if (text !== undefined) return text;
      }
      return fail();
    },
  };
}

/** The first characters of every text that the key encrypted. Texts of the first form begin otherwise. */
export function prefixOf(keyId: string): string {
  return `${PREFIX}${keyId}:`;
}

function decryptWith(key: Key, bytes: Buffer): string | undefined {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key.bytes, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const content = bytes.subarray(NONCE_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(content), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function fail(): never {
  throw new DecryptionFailed();
}
