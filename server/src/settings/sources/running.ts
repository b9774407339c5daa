/**
 * Announces the settings of servers that run on a home folder to commands in other terminals. Each server keeps a file
 * `running/<id>.json` there, readable by its owner only, and holds the lock beside it: a file whose lock is free
 * belongs to a killed server. Secrets are not copied: the path of a secret in a file is given, and a secret from the
 * environment or a flag is withheld. The exception is the address of a database, which every command needs.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '../../errors.ts';
import { isLocked, takeLock } from '../../files/file-lock.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { counted } from '../../values/counted.ts';
import { isJsonObject } from '../../values/json.ts';
import { settings } from '../all.ts';
import { flagOf } from '../setting.ts';
import type { Resolved } from './resolved.ts';
import { holdsSecret } from './shown.ts';

/** The name of a folder in the home folder. */
const RUNNING_FOLDER = 'running';
const MAX_BYTES = 1024 * 1024;

interface RunningServer {
  readonly pid: number;
  /** The address at which it answers on this machine. */
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Values by environment variable, with absolute paths and the actual ports. */
  readonly values: Readonly<Record<string, string>>;
  /** Names of the server's secrets that the file does not contain. */
  readonly withheld: readonly string[];
}

/** The settings that commands use of the servers on one home folder: those of the server that started first. */
export interface RunningSettings extends Pick<RunningServer, 'values' | 'withheld' | 'pid' | 'url'> {
  readonly home: string;
  /** The number of servers there, if their databases differ. */
  readonly differing: number;
}

interface Announced {
  readonly url: string;
  readonly metricsUrl: string | undefined;
  /** The path of the settings file; undefined without one. */
  readonly configPath: string | undefined;
}

/**
 * Writes the file of this process, and removes the files of killed servers. Returns a function that removes this file.
 * Throws the error of the system.
 */
export function announceServer(home: string, resolved: Resolved, announced: Announced): () => void {
  const folder = join(home, RUNNING_FOLDER);
  makeFolder(folder);
  for (const id of idsIn(folder)) if (!isLocked(join(folder, `${id}.lock`))) remove(folder, id);
  const id = randomUUID();
  const lock = takeLock(join(folder, `${id}.lock`));
  const { url } = announced;
  const server: RunningServer = { pid: process.pid, url, since: Date.now(), ...toldOf(resolved, announced) };
  const part = join(folder, `${id}.part`);
  try {
    writeFileSync(part, `${JSON.stringify(server, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(part, join(folder, `${id}.json`));
  } catch (error) {
    lock?.release();
    remove(folder, id);
    throw error;
  }
  return () => {
    remove(folder, id);
    lock?.release();
  };
}

function toldOf(resolved: Resolved, { url, metricsUrl, configPath }: Announced) {
  const values: Record<string, string> = {};
  const withheld: string[] = [];
  for (const { setting, value, source, secretFile } of Object.values(resolved)) {
    const { name, absolute } = setting;
    if (name === settings.home.name) continue;
    if (!holdsSecret(setting, value)) values[name] = absolute?.(value, process.cwd()) ?? value;
    // A command reads it in the same place as the server: the settings file.
    else if (source === 'file') continue;
    else if (secretFile !== undefined) values[`${name}_FILE`] = resolve(secretFile);
    else if (setting.isAddress || !setting.secret) values[name] = value;
    else withheld.push(name);
  }
  values[settings.port.name] = portOf(url);
  if (metricsUrl !== undefined) values[settings.metricsPort.name] = portOf(metricsUrl);
  if (resolved.config.value !== '') values[settings.config.name] = configPath ?? '';
  return { values, withheld };
}

function portOf(url: string): string {
  const { port, protocol } = new URL(url);
  return port || (protocol === 'https:' ? '443' : '80');
}

/** Undefined when no server runs there, or its files belong to another user. */
export function runningSettings(home: string): RunningSettings | undefined {
  const folder = join(home, RUNNING_FOLDER);
  const servers = idsIn(folder)
    .filter((id) => isLocked(join(folder, `${id}.lock`)))
    .flatMap((id) => serverIn(join(folder, `${id}.json`)))
    .sort((left, right) => left.since - right.since);
  const [first] = servers;
  if (!first) return undefined;
  const databases = new Set(servers.map(databaseOf));
  return { ...first, home, differing: databases.size > 1 ? servers.length : 0 };
}

/** Throws ConfigError when servers on the home folder use different databases: then the command must name one. */
export function checkOneDatabase({ differing, home }: RunningSettings): void {
  const { name } = settings.databaseUrl;
  if (differing === 0) return;
  throw new ConfigError(
    `The ${counted(differing, 'server')} that run on ${home} use different databases. Name one with ${name} (--${flagOf(name)}).`,
  );
}

function databaseOf({ values }: RunningServer): string {
  const { name } = settings.databaseUrl;
  return `${values[name]} ${values[`${name}_FILE`]}`;
}

function idsIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []));
  } catch {
    return [];
  }
}

/** Reads one file; empty if it has been removed in the meantime, or if this version does not understand it. */
function serverIn(file: string): RunningServer[] {
  try {
    if (statSync(file).size > MAX_BYTES) return [];
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isServer(read) ? [read] : [];
  } catch {
    return [];
  }
}

function isServer(value: unknown): value is RunningServer {
  if (!isJsonObject(value)) return false;
  const { pid, url, since, values, withheld } = value;
  return (
    typeof pid === 'number' &&
    typeof url === 'string' &&
    typeof since === 'number' &&
    isJsonObject(values) &&
    Object.values(values).every((text) => typeof text === 'string') &&
    Array.isArray(withheld) &&
    withheld.every((name) => typeof name === 'string')
  );
}

function remove(folder: string, id: string): void {
  for (const kind of ['json', 'part', 'lock']) rmSync(join(folder, `${id}.${kind}`), { force: true });
}
