import { ConfigError } from '../../config.ts';
import type { Context } from '../../context.ts';
import { type JsonText, jsonTextOf, parseJson } from '../../json.ts';
import { DecryptionFailed } from '../../secrets/encryption.ts';
import { findConfiguration, putConfiguration } from './queries.ts';

const KEY = 'encryption-key-check';

/**
 * Makes sure that the server encrypts with the key that the database was written with: a text encrypted at first start
 * must be readable. Otherwise a second server with a key of its own would store secrets that the first cannot read.
 * Throws ConfigError.
 */
export function checkEncryptionKey(context: Context): Promise<void> {
  const { encryption } = context.server;
  return context.transaction(async (tx) => {
    const stored = await findConfiguration(tx, KEY);
    if (stored === undefined) {
      await putConfiguration(tx, KEY, jsonTextOf(encryption.encrypt('signalbox')));
    } else if (!isReadable(stored)) {
      throw new ConfigError(
        'The secrets in this database were encrypted with another key. Set SIGNALBOX_ENCRYPTION_KEY to that key, or put its encryption.key into the home folder.',
      );
    }
  });

  function isReadable(stored: JsonText): boolean {
    try {
      return encryption.decrypt(String(parseJson(stored))) === 'signalbox';
    } catch (error) {
      if (error instanceof DecryptionFailed) return false;
      throw error;
    }
  }
}
