/** The servers to which a person has logged in, with the key for each, in a file that only this person can read. */
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ConfigError } from '../errors.ts';
import { makeFolder } from '../files/make-folder.ts';
import { isJsonObject } from '../values/json.ts';
import { suggestion } from '../values/nearest.ts';

/** One server: the address in front of `/api`, and an API key. */
export interface ServerContext {
  readonly url: string;
  readonly key: string;
}

interface Contexts {
  /** The server that commands use without `--context`; undefined before the first login. */
  readonly current: string | undefined;
  readonly servers: Readonly<Record<string, ServerContext>>;
}

/** `$XDG_CONFIG_HOME/signalbox/contexts.json`, by default below `~/.config`. */
export function contextsFile(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'signalbox', 'contexts.json');
}

/** Reads the contexts; empty if the file does not exist. Throws ConfigError if it is unreadable. */
export function readContexts(file = contextsFile()): Contexts {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isJsonObject(read) && isJsonObject(read['servers'])) return read as unknown as Contexts;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: undefined, servers: {} };
  }
  throw new ConfigError(`${file} cannot be read. Move it away and log in again.`);
}

/** Replaces the whole file, which only its owner may read. */
export function writeContexts(contexts: Contexts, file = contextsFile()): void {
  makeFolder(dirname(file));
  const part = `${file}.${process.pid}`;
  writeFileSync(part, `${JSON.stringify(contexts, undefined, 2)}\n`, { mode: 0o600 });
  chmodSync(part, 0o600);
  renameSync(part, file);
}

/** The named context, else the current one; undefined without a login. Throws ConfigError for an unknown name. */
function findContext(name: string | undefined): (ServerContext & { name: string }) | undefined {
  const { current, servers } = readContexts();
  const chosen = name ?? current;
  if (chosen === undefined) return undefined;
  const found = Object.hasOwn(servers, chosen) ? servers[chosen] : undefined;
  if (found) return { name: chosen, ...found };
  const meant = suggestion(chosen, Object.keys(servers), (one) => `"${one}"`);
  throw new ConfigError(`There is no context "${chosen}".${meant} "signalbox context list" lists them.`);
}

/** Like `findContext`; throws ConfigError if there is none. */
export function neededContext(name: string | undefined): ServerContext & { name: string } {
  const found = findContext(name);
  if (!found) throw new ConfigError('You are not logged in to a server. Run "signalbox login --url <address>" first.');
  return found;
}
