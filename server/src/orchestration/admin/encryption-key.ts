import type { Config } from '../../config.ts';
import type { Context } from '../../context/context.ts';
import { findConfiguration, putConfiguration } from '../../database/opening/configuration.ts';
import type { Db } from '../../database/store.ts';
import { DecryptionFailed } from '../../encryption/encryption.ts';
import { hasKeys } from '../../encryption/keyring.ts';
import { ConfigError } from '../../errors.ts';
import { type JsonText, jsonTextOf, parseJson } from '../../values/json.ts';

const KEY = 'encryption-key-check';

const WRONG_KEY =
  'The secrets in this database were encrypted with another key. Set SIGNALBOX_ENCRYPTION_KEY to that key, or copy its encryption.key to the home folder.';

/** Throws ConfigError if the server would make a new key for a database that was written with another. */
export async function checkKeyFile(db: Db, config: Config): Promise<void> {
  if (!hasKeys(config) && (await findConfiguration(db, KEY)) !== undefined) throw new ConfigError(WRONG_KEY);
}

/**
 * Checks that the server has the key with which the database was written: it must be able to read a text encrypted at
 * the first start. Otherwise a second server with its own key would store secrets that the first cannot read. Throws
 * ConfigError.
 */
export function checkEncryptionKey(context: Context): Promise<void> {
  const { encryption } = context.server;
  return context.transaction(async (tx) => {
    const stored = await findConfiguration(tx, KEY);
    if (stored === undefined) {
      await putConfiguration(tx, KEY, jsonTextOf(encryption.encrypt('signalbox')));
    } else if (!isReadable(stored)) {
      throw new ConfigError(WRONG_KEY);
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
