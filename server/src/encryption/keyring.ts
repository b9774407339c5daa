/**
 * The keys that secrets are encrypted with: the setting, or a file beside the database that is made at first start. The
 * file has a key on each line; a replaced key has the time of its replacement. A running server reads a changed file
 * again when it encrypts and when it meets an unknown key.
 */
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { ConfigError } from '../errors.ts';
import { makeFolder } from '../files/make-folder.ts';
import type { Timestamp } from '../values/time.ts';

export interface Key {
  /** Derived from the key: the first characters of its SHA-256. */
  readonly id: string;
  readonly bytes: Buffer;
  /**
   * Time at which another key took over encryption. Undefined for the current key, and when the setting holds the keys.
   */
  readonly replacedAt: Timestamp | undefined;
}

const KEY_FILE = 'encryption.key';
const KEY_BYTES = 32;
const ID_CHARACTERS = 12;

/** The settings that decide where the keys are. */
export type KeySettings = Pick<Config, 'home' | 'encryptionKey'> & Partial<Pick<Config, 'keyIsWithheld'>>;

/** A command that runs beside a server which has its keys from its environment does not get them from the server. */
const WITHHELD =
  'The running server has its encryption key from its environment, and this command does not. Set SIGNALBOX_ENCRYPTION_KEY or SIGNALBOX_ENCRYPTION_KEY_FILE for it too.';

export class Keyring {
  /** Undefined if the setting holds the keys. */
  readonly #file: string | undefined;
  #keys: readonly Key[];
  /** If true, every use fails and no key is made. */
  readonly #isWithheld: boolean = false;
  #version = '';

  /** Makes the key file if it does not exist. Throws ConfigError when its content is not a key. */
  constructor({ home, encryptionKey, keyIsWithheld }: KeySettings) {
    if (keyIsWithheld) {
      this.#isWithheld = true;
      this.#keys = [];
      return;
    }
    if (encryptionKey) {
      this.#keys = encryptionKey.split(',').map((text) => keyOf(text, 'SIGNALBOX_ENCRYPTION_KEY'));
      return;
    }
    this.#file = join(home, KEY_FILE);
    makeFile(home, this.#file);
    this.#keys = this.#read(this.#file);
  }

  get isFile(): boolean {
    return this.#file !== undefined;
  }

  /** The key that encrypts. */
  current(): Key {
    const [first] = this.all();
    if (!first) throw new ConfigError('There is no encryption key.');
    return first;
  }

  all(): readonly Key[] {
    if (this.#isWithheld) throw new ConfigError(WITHHELD);
    if (this.#file !== undefined && versionOf(this.#file) !== this.#version) this.#keys = this.#read(this.#file);
    return this.#keys;
  }

  find(id: string): Key | undefined {
    return this.#keys.find((key) => key.id === id) ?? this.all().find((key) => key.id === id);
  }

  /** Puts a new key before the others. Only for one process at a time, and only when the keys are in the file. */
  addKey(now: Timestamp): Key {
    const added = keyOf(randomBytes(KEY_BYTES).toString('base64'), 'a new key');
    this.#write([added, ...this.all().map((key) => ({ ...key, replacedAt: key.replacedAt ?? now }))]);
    return added;
  }

  /** Deletes a key. Texts that it encrypted can never be read again. */
  removeKey(id: string): void {
    this.#write(this.all().filter((key) => key.id !== id));
  }

  #read(file: string): readonly Key[] {
    this.#version = versionOf(file);
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '');
    if (lines.length === 0) throw noKey(file);
    return lines.map((line) => {
      const [text = '', , replacedAt] = line.trim().split(/\s+/);
      return { ...keyOf(text, file), replacedAt: replacedAt as Timestamp | undefined };
    });
  }

  /** Replaces the file atomically: after a crash at any moment it is the old file or the new one. */
  #write(keys: readonly Key[]): void {
    if (this.#file === undefined)
      throw new ConfigError('The keys are in the setting SIGNALBOX_ENCRYPTION_KEY. Change them there.');
    const lines = keys.map(({ bytes, replacedAt }) => {
      const text = bytes.toString('base64');
      return replacedAt === undefined ? text : `${text} replaced ${replacedAt}`;
    });
    const next = `${this.#file}.next`;
    writeFileSync(next, `${lines.join('\n')}\n`, { mode: 0o600, flush: true });
    renameSync(next, this.#file);
    syncFolder(join(this.#file, '..'));
  }
}

/** False when the start would make a new key. */
export function hasKeys({ home, encryptionKey, keyIsWithheld = false }: KeySettings): boolean {
  return keyIsWithheld || encryptionKey !== '' || existsSync(join(home, KEY_FILE));
}

function makeFile(home: string, file: string): void {
  makeFolder(home);
  try {
    writeFileSync(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    syncFolder(home);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** A new file name is on disk only after a sync of its folder. Not every system allows opening a folder. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function versionOf(file: string): string {
  const { ino, size, mtimeMs } = statSync(file);
  return `${ino} ${size} ${mtimeMs}`;
}

function noKey(source: string): ConfigError {
  return new ConfigError(
    `${source} must contain 32 bytes in base64. Copy the key of this database back from a backup of the home folder.`,
  );
}

/** Base64 or base64url. */
function keyOf(text: string, source: string): Key {
  const bytes = Buffer.from(text.trim(), 'base64');
  if (bytes.length !== KEY_BYTES) throw noKey(source);
  const id = createHash('sha256').update(bytes).digest('hex').slice(0, ID_CHARACTERS);
  return { id, bytes, replacedAt: undefined };
}
