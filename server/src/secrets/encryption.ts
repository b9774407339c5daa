/**
 * Secrets at rest: AES-256-GCM with one key for the server. The key is a setting, or a file beside the database that is
 * made at first start; several servers on one database need the same key. Without the key the secrets are lost.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';

export interface Encryption {
  /** Never gives the same text twice. */
  encrypt(text: string): string;
  /** Throws `DecryptionFailed` when the text was encrypted with another key, or was changed since. */
  decrypt(encrypted: string): string;
}

/** Says nothing of the text or the key. */
export class DecryptionFailed extends Error {
  constructor() {
    super(
      'A stored secret cannot be read with this encryption key. Start the server with the key it was written with.',
    );
  }
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';
/** How a text was encrypted, so that another way can be told from this one. */
const PREFIX = 'v1:';

/** Reads the key, or makes the key file. Throws ConfigError when what is there is no key. */
export function createEncryption(config: Pick<Config, 'home' | 'encryptionKey'>): Encryption {
  const key = config.encryptionKey
    ? keyOf(config.encryptionKey, 'SIGNALBOX_ENCRYPTION_KEY')
    : keyFromFile(config.home, join(config.home, 'encryption.key'));
  return {
    encrypt(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), content]).toString('base64');
    },
    decrypt(encrypted) {
      if (!encrypted.startsWith(PREFIX)) throw new DecryptionFailed();
      const bytes = Buffer.from(encrypted.slice(PREFIX.length), 'base64');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new DecryptionFailed();
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        const content = bytes.subarray(NONCE_BYTES + TAG_BYTES);
        return Buffer.concat([decipher.update(content), decipher.final()]).toString('utf8');
      } catch {
        throw new DecryptionFailed();
      }
    },
  };
}

/** The key in the file, which is made when there is none. */
function keyFromFile(home: string, path: string): Buffer {
  const stored = readIfThere(path);
  if (stored !== undefined) return keyOf(stored, path);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  try {
    const key = `${randomBytes(KEY_BYTES).toString('base64')}\n`;
    writeFileSync(path, key, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    // Another server that starts with this home made it in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return keyOf(readFileSync(path, 'utf8'), path);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Base64 or base64url. */
function keyOf(text: string, source: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== KEY_BYTES) throw new ConfigError(`${source} must hold 32 bytes in base64.`);
  return key;
}
