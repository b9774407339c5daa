/**
 * Changes the encryption key while servers run. A rotation adds a key, re-encrypts every stored secret with it, a few
 * at a time, and removes the old key once no secret needs it. The data shows the progress, so a killed rotation
 * continues where it stopped.
 */
import type { PlatformTx, Store } from '../../database/store.ts';
import { createEncryption, DecryptionFailed, type Encryption, prefixOf } from '../../encryption/encryption.ts';
import type { Key, Keyring } from '../../encryption/keyring.ts';
import { type Clock, secondsBetween, type Timestamp } from '../../values/time.ts';
import { countSecrets, type SecretColumn, type StoredSecret, secretColumns } from './stored-secrets.ts';

/** Secrets that one transaction rewrites, so that a running server hardly waits. */
const BATCH = 50;
/**
 * Seconds for which a replaced key stays at least: a request that encrypted with it may still be running. Far longer
 * than a request and its transaction take.
 */
export const KEPT_SECONDS = 600;

export interface Rotation {
  /** The key that encrypts from now on. */
  readonly keyId: string;
  /** True if this run made the key; an earlier unfinished rotation is finished first. */
  readonly isNew: boolean;
  readonly reencrypted: number;
  /** Secrets that no known key decrypts; they stay unchanged. */
  readonly unreadable: number;
  readonly retired: readonly string[];
  /** Replaced keys that are kept for now. */
  readonly kept: readonly string[];
}

export interface Rotating {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** Called after each batch. */
  readonly onProgress: (done: number, total: number) => void;
}

/** Makes no key if the setting holds the keys: then the first of them encrypts. */
export async function rotateSecrets(rotating: Rotating): Promise<Rotation> {
  const { store, keyring, clock } = rotating;
  const isNew = await beginRotation(store, keyring, clock.now());
  const { id } = keyring.current();
  const { reencrypted, unreadable } = await reencrypt(rotating, prefixOf(id));
  const retired = await retireKeys(store, keyring, clock.now());
  return {
    keyId: id,
    isNew,
    reencrypted,
    unreadable,
    retired,
    kept: keyring
      .all()
      .slice(1)
      .map((key) => key.id),
  };
}

/** True when there is a new key: none is made while an earlier rotation is unfinished. */
function beginRotation(store: Store, keyring: Keyring, now: Timestamp): Promise<boolean> {
  return alone(store, async () => {
    if (!keyring.isFile || keyring.all().length > 1) return false;
    keyring.addKey(now);
    return true;
  });
}

async function reencrypt({ store, keyring, onProgress }: Rotating, prefix: string) {
  const encryption = createEncryption({ home: '', encryptionKey: '' }, keyring);
  const like = `${prefix}%`;
  const total = await countSecrets(store.platform.reads(), 'countWithout', like);
  let [reencrypted, unreadable] = [0, 0];
  for (const column of secretColumns) {
    let position = { workspace_key: -1, id: '' };
    for (;;) {
      const rows = await store.platform.reads().all(column.next, { prefix: like, ...position, limit: BATCH });
      const last = rows.at(-1);
      if (!last) break;
      position = { workspace_key: last.workspace, id: last.id };
      const written = await store.platform.transaction((tx) => rewrite(tx, column, rows, encryption));
      reencrypted += written;
      unreadable += rows.length - written;
      onProgress(reencrypted + unreadable, total);
    }
  }
  return { reencrypted, unreadable };
}

/** Returns the number of readable secrets: those that were changed in the meantime already use the new key. */
async function rewrite(tx: PlatformTx, column: SecretColumn, rows: readonly StoredSecret[], encryption: Encryption) {
  let readable = 0;
  for (const row of rows) {
    const replacement = rewritten(row.encrypted, encryption);
    if (replacement === undefined) continue;
    readable += 1;
    const value = column.isJson ? JSON.stringify(replacement) : replacement;
    await tx.run(column.replace, { ...row, workspace_key: row.workspace, replacement: value });
  }
  return readable;
}

function rewritten(encrypted: string, encryption: Encryption): string | undefined {
  try {
    return encryption.encrypt(encryption.decrypt(encrypted));
  } catch (error) {
    if (error instanceof DecryptionFailed) return undefined;
    throw error;
  }
}

/**
 * Removes the replaced keys that no secret needs. The key of a text of the first form is unknown, so such texts keep
 * all keys.
 */
function retireKeys(store: Store, keyring: Keyring, now: Timestamp): Promise<string[]> {
  return alone(store, async (tx) => {
    if ((await countSecrets(tx, 'countWith', 'v1:%')) > 0) return [];
    const retired: string[] = [];
    for (const { id } of keyring.all().filter((key) => isReplaced(key, now))) {
      if ((await countSecrets(tx, 'countWith', `${prefixOf(id)}%`)) > 0) continue;
      keyring.removeKey(id);
      retired.push(id);
    }
    return retired;
  });
}

function isReplaced({ replacedAt }: Key, now: Timestamp): boolean {
  return replacedAt !== undefined && secondsBetween(replacedAt, now) >= KEPT_SECONDS;
}

/** Rotations of one database take turns, so that none overwrites another's key file. */
function alone<T>(store: Store, work: (tx: PlatformTx) => Promise<T>): Promise<T> {
  return store.platform.transaction(async (tx) => {
    const [check] = secretColumns.filter(({ table }) => table === 'configuration');
    const [row] = check ? await tx.all(check.next, { prefix: '', workspace_key: -1, id: '', limit: 1 }) : [];
    if (check && row) {
      const same = JSON.stringify(row.encrypted);
      await tx.run(check.replace, { ...row, workspace_key: row.workspace, replacement: same });
    }
    return work(tx);
  });
}
