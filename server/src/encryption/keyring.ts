/**
 * The keys that secrets are encrypted with: the setting, or a file beside the database that is made at first start. The
 * file has a key on each line; one that was replaced says since when. A running server takes up a changed file by itself,
 * when it encrypts and when it meets a key that it does not know.
 */
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { ConfigError } from '../errors.ts';
import { makeFolder } from '../files/make-folder.ts';
import type { Timestamp } from '../values/time.ts';

export interface Key {
  /** Told by the key itself: the first characters of its SHA-256. */
  readonly id: string;
  readonly bytes: Buffer;
  /** Since when another key encrypts; undefined for that one, and where the setting holds the keys. */
  readonly replacedAt: Timestamp | undefined;
}

const KEY_FILE = 'encryption.key';
const KEY_BYTES = 32;
const ID_CHARACTERS = 12;

/** Where the keys are. */
export type KeySettings = Pick<Config, 'home' | 'encryptionKey'> & Partial<Pick<Config, 'keyIsWithheld'>>;

/** A command beside a server that has its keys from its environment does not get them from the server. */
const WITHHELD =
  'The running server has its encryption key from its environment, and this command does not. Set SIGNALBOX_ENCRYPTION_KEY or SIGNALBOX_ENCRYPTION_KEY_FILE for it too.';

export class Keyring {
  /** Undefined where the setting holds the keys. */
  readonly #file: string | undefined;
  #keys: readonly Key[];
  /** Then every use fails, and no key is made. */
  readonly #isWithheld: boolean = false;
  #version = '';

  /** Makes the key file where there is none. Throws ConfigError when what is there is no key. */
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

  /** The one that encrypts. */
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

  /** Puts a new key before the others. For one process at a time, and only where the keys are in the file. */
  addKey(now: Timestamp): Key {
    const added = keyOf(randomBytes(KEY_BYTES).toString('base64'), 'a new key');
    this.#write([added, ...this.all().map((key) => ({ ...key, replacedAt: key.replacedAt ?? now }))]);
    return added;
  }

  /** Forgets a key: what it encrypted can never be read again. */
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

  /** The file is the old one or the new one, whatever is killed when. */
  #write(keys: readonly Key[]): void {
    if (this.#file === undefined) throw new ConfigError('The keys are in the setting, and are changed there.');
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

/** False where starting would make a new key. */
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

/** A new name in a folder is on disk once the folder is. Not every system lets a folder be opened. */
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
