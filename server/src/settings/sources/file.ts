/**
 * The settings file: TOML with a line for each setting; its name is the environment variable without `SIGNALBOX_`, in
 * lower case. Every fault is a ConfigError whose sentence names the file, the line and the setting, but no value of a
 * secret.
 */
import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { ConfigError } from '../../errors.ts';
import { suggestion } from '../../values/nearest.ts';
import { allSettings } from '../all.ts';
import { nameInFile, type Setting } from '../setting.ts';
import { holdsSecret, quotable } from './shown.ts';

export const SETTINGS_FILE = 'signalbox.toml';

/** Many times the size of a file with all settings and long lists. */
const MAX_BYTES = 256 * 1024;
/** Nesting depth of arrays and tables; no setting has more than one level. */
const MAX_DEPTH = 8;

interface FileEntry {
  /** The value in the form of the environment. */
  readonly value: string;
  readonly line: number;
}

export interface SettingsFile {
  /** The absolute path. */
  readonly path: string;
  /** Entries by environment variable: `SIGNALBOX_PORT`, `SIGNALBOX_DATABASE_URL_FILE`. */
  readonly entries: ReadonlyMap<string, FileEntry>;
  /** Present when everyone on this machine may read secrets in it. */
  readonly exposure: Exposure | undefined;
}

interface Exposure {
  readonly says: string;
  readonly cure: string;
}

/** A name that a file may contain, and the setting that it means. */
interface Known {
  readonly setting: Setting;
  readonly variable: string;
}

const known: ReadonlyMap<string, Known> = new Map(
  allSettings.flatMap((setting) => {
    const variables = setting.secret ? [setting.name, `${setting.name}_FILE`] : [setting.name];
    return variables.map((variable): [string, Known] => [nameInFile(variable), { setting, variable }]);
  }),
);

/** Undefined when the file does not exist and was not named explicitly (`isNamed`). */
export function readSettingsFile(path: string, isNamed: boolean): SettingsFile | undefined {
  const text = textOf(path, isNamed);
  if (text === undefined) return undefined;
  const table = parsed(text, path);
  const entries = new Map<string, FileEntry>();
  let hasSecrets = false;
  for (const [name, value] of Object.entries(table)) {
    const line = lineOf(text, name);
    const subject = subjectOf(name, line, path);
    if (!isValue(value)) {
      throw new ConfigError(
        `${subject} is a table, which a settings file does not have. Write each setting in a line of its own at the top, such as port = 4200.`,
      );
    }
    const found = known.get(name);
    if (!found) throw new ConfigError(`${subject} is not a setting of Signalbox.${meant(name)}`);
    const { setting, variable } = found;
    if (setting.notInFile !== undefined) {
      throw new ConfigError(
        `${subject} is not allowed there: ${setting.notInFile}. Use --${name} or ${setting.name} instead.`,
      );
    }
    const entry = { value: settingText(value, setting, variable, subject), line };
    entries.set(variable, entry);
    hasSecrets ||= variable === setting.name && holdsSecret(setting, entry.value);
  }
  return { path, entries, exposure: hasSecrets && everyoneMayRead(path) ? exposureOf(path) : undefined };
}

/** The subject of a sentence about an entry: `port in line 3 of /etc/signalbox.toml`. */
export function subjectOf(name: string, line: number, path: string): string {
  return `${quotable(name)} in line ${line} of ${path}`;
}

function textOf(path: string, isNamed: boolean): string | undefined {
  const cure = isNamed
    ? 'Correct SIGNALBOX_CONFIG (--config).'
    : 'Move it away, or name another with SIGNALBOX_CONFIG (--config).';
  const refuse = (reason: string) => new ConfigError(`The settings file ${path} ${reason}.`);
  let bytes: Buffer | undefined;
  try {
    const facts = statSync(path);
    if (facts.isDirectory()) throw refuse(`is a folder. ${cure.slice(0, -1)}`);
    // Opening a pipe would wait for its writer.
    if (!facts.isFile()) throw refuse(`is not a regular file. ${cure.slice(0, -1)}`);
    bytes = firstBytes(path, MAX_BYTES + 1);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (error instanceof ConfigError) throw error;
    if (!isNamed && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined;
    throw refuse(reasons[code] ?? `cannot be read (${code}). ${cure.slice(0, -1)}`);
  }
  if (bytes.length > MAX_BYTES) throw refuse(`has more than ${MAX_BYTES / 1024} kB. ${cure.slice(0, -1)}`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refuse('is not text in UTF-8. Save it with that encoding');
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist. Create it, or correct SIGNALBOX_CONFIG (--config)',
  ENOTDIR: 'lies below a file. Correct SIGNALBOX_CONFIG (--config)',
  EACCES: 'cannot be read by this user. Give the user that runs Signalbox the right to read it',
  EPERM: 'cannot be read by this user. Give the user that runs Signalbox the right to read it',
  ELOOP: 'is a symbolic link that leads to itself. Replace it with a file',
};

/** Reads at most `count` bytes, even if the file grows in the meantime. */
function firstBytes(path: string, count: number): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(count);
    let length = 0;
    for (let read = -1; read !== 0 && length < count; length += read) {
      read = readSync(descriptor, bytes, length, count - length, null);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

function parsed(text: string, path: string): Record<string, unknown> {
  try {
    return parse(text, { integersAsBigInt: true, maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The lines after the first quote the file, which may contain secrets.
    const [first = ''] = error.message.split('\n');
    const reason = first.replace('Invalid TOML document: ', '').replace(/\.$/, '');
    throw new ConfigError(
      `The settings file ${path} is not valid TOML in line ${error.line}, column ${error.column}: ${reason}. Correct that line.`,
    );
  }
}

/**
 * The line that first defines a key. The parser reports positions only in errors, so a line that defines the same key
 * is put in front of the valid text, and the parser reports where the second one is.
 */
function lineOf(text: string, name: string): number {
  try {
    parse(`${JSON.stringify(name)} = 0\n${text}`, { integersAsBigInt: true, maxDepth: MAX_DEPTH });
  } catch (error) {
    if (error instanceof TomlError) return Math.max(1, error.line - 1);
  }
  return 1;
}

type Value = string | number | bigint | boolean | Date | readonly unknown[];

function isValue(value: unknown): value is Value {
  const isTables = Array.isArray(value) && value.some((entry) => !isValue(entry));
  return !isTables && (typeof value !== 'object' || Array.isArray(value) || value instanceof Date);
}

/** A value of TOML as the text that the environment would have. */
function settingText(value: Value, setting: Setting, variable: string, subject: string): string {
  if (!Array.isArray(value)) return simpleText(value, subject);
  const { separator, none = '' } = setting;
  if (separator === undefined || variable !== setting.name) {
    throw new ConfigError(`${subject} is a list, but accepts one value.`);
  }
  const entries = value.map((entry: Value) => {
    if (Array.isArray(entry)) throw new ConfigError(`${subject} has a list in its list.`);
    const text = simpleText(entry, subject).trim();
    if (text === '') throw new ConfigError(`${subject} has an empty entry. Leave it out.`);
    if (text.includes(separator)) {
      const spelt = separator === ' ' ? 'a space' : `"${separator}"`;
      throw new ConfigError(`${subject} has an entry with ${spelt} in it. Make it two entries.`);
    }
    return text;
  });
  return entries.length === 0 ? none : entries.join(separator);
}

function simpleText(value: Value, subject: string): string {
  if (value instanceof Date) throw new ConfigError(`${subject} is a date or time, which no setting accepts.`);
  const text = String(value);
  if (/\p{Cc}/u.test(text)) {
    throw new ConfigError(`${subject} contains a line break or another control character. Write it in one line.`);
  }
  return text;
}

/**
 * The setting that an unknown name may mean; also recognizes the spelling of the environment, of a flag, or of the
 * Prefect server.
 */
function meant(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^signalbox_/, '');
  const ofPrefect = allSettings.find(({ alias, formerAlias }) => [alias, formerAlias].includes(name.toUpperCase()));
  const written = known.has(plain) ? plain : ofPrefect && nameInFile(ofPrefect.name);
  const told = written === undefined ? suggestion(quotable(name), [...known.keys()]) : ` Write it as ${written}.`;
  return `${told} "signalbox config" lists the settings.`;
}

/**
 * Every folder of the path must be accessible to everyone. The group is ignored, because its purpose is to let some
 * users read.
 */
function everyoneMayRead(path: string): boolean {
  if (process.platform === 'win32') return false;
  const file = realpathSync(path);
  if ((statSync(file).mode & 0o004) === 0) return false;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

function exposureOf(path: string): Exposure {
  return {
    says: `Every user of this machine can read the secrets in the settings file ${path}.`,
    cure: `Run chmod 600 ${path} as its owner.`,
  };
}
