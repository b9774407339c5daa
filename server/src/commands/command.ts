/** The declaration of commands, and the functions that commands for operators share. */
import { type Config, configFrom } from '../config.ts';
import { writeProblem } from '../database/open-problem.ts';
import { ApiError, ConfigError } from '../errors.ts';
import type { KeyOwnerName, OperatorContext } from '../platform/operator/operator.ts';
import { type Operator, openOperator } from '../process/server.ts';
import { resolveSettings } from '../settings/sources/resolve.ts';
import { differences, sourcesOf } from '../settings/sources/sources.ts';
import type { Api, Item, Operating } from './api.ts';

/**
 * The flags of commands, besides those of the settings: the value's placeholder in the help, and one sentence. A flag
 * without a value is a switch.
 */
export const commandFlags = {
  email: { value: '<address>', says: 'Email address of the person.' },
  organization: { value: '<slug>', says: 'Slug of the organization. Default: default.' },
  workspace: { value: '<handle>', says: 'Handle of the workspace. Default: default.' },
  role: { value: '<role>', says: 'Role to give.' },
  name: { value: '<name>', says: 'Name for people to read.' },
  slug: { value: '<slug>', says: 'Name in URLs: lower-case letters, digits and single dashes.' },
  handle: { value: '<handle>', says: 'Name in URLs: lower-case letters, digits and single dashes.' },
  admin: { value: '<address>', says: 'Email address of its administrator.' },
  'default-role': { value: '<role>', says: 'Role of members without a grant. Default: none.' },
  description: { value: '<text>', says: 'Description for people to read.' },
  user: { value: '<address>', says: 'Email address of a person.' },
  'service-account': { value: '<name>', says: 'Name of a service account of the organization.' },
  descriptor: { value: '<text>', says: 'What the key is for.' },
  'expires-in': { value: '<time>', says: 'The key expires after this time, such as 90d or 12h.' },
  overlap: {
    value: '<time>',
    says: 'Time for which the old key continues to work, such as 1h or 7d; now revokes it at once. Default: 24h.',
  },
  revoke: { value: '<id>', says: 'Another active key of the owner, to revoke at once.' },
  only: {
    value: '<kind>',
    says: 'Only keys that are active, expiring (within 14 days) or stale (unused for 90 days).',
  },
  'max-key-age-days': { value: '<number>', says: 'Maximum age of API keys in days, or none.' },
  id: { value: '<id>', says: 'Id of the key, as "keys list" shows it.' },
  from: {
    value: '<url>',
    says: 'Address of the API to read, such as http://127.0.0.1:4200/api. Default: PREFECT_API_URL.',
  },
  days: { value: '<number>', says: 'Number of past days whose runs and events are read; 0 for none. Default: 30.' },
  activate: { value: '', says: 'Activate the schedules and automations that are active in the source.' },
  'dry-run': { value: '', says: 'Only count; change nothing.' },
  folder: { value: '<folder>', says: 'Folder of the backup or export.' },
  'with-secrets': { value: '', says: 'Write the secrets of blocks too: anyone who has the folder can then read them.' },
  url: { value: '<url>', says: 'Address of the server, such as https://signalbox.example.' },
  context: { value: '<name>', says: 'A server that you logged in to, by its name in "context list".' },
  path: { value: '<path>', says: 'Path of the API, such as /me/organizations.' },
  method: { value: '<method>', says: 'HTTP method. Default: GET, or POST with a body.' },
  body: { value: '<json>', says: 'Body of the request, or - for standard input.' },
  shell: { value: '<shell>', says: 'bash, zsh or fish.' },
  'with-key': { value: '', says: 'Copy the encryption key too: anyone who has the backup can then read the secrets.' },
} as const;

export type CommandFlag = keyof typeof commandFlags;
/** The flags of one call: flags of commands and, under their own names, flags of settings. */
export type Flags = Readonly<Partial<Record<CommandFlag, string>>>;

export interface Command {
  /** For example, `keys create`. */
  readonly words: string;
  /** The description: one or two sentences, in the imperative. */
  readonly says: string;
  /** The flags that it accepts; a name with `?` is optional. Flags of settings are always accepted. */
  readonly flags: readonly (CommandFlag | `${CommandFlag}?`)[];
  /** The allowed values of some flags. */
  readonly choices?: Partial<Record<CommandFlag, readonly string[]>>;
  /** True if `--json` prints output for programs. */
  readonly json?: boolean;
  /** A word that may follow `words`. */
  readonly operand?: Operand;
  /** Resolves with the exit code. Throws ConfigError for mistakes of the operator. */
  run?(flags: Flags, json: boolean, operand?: string): Promise<number> | number;
  /** In place of `run`: works through the API of the server of `--context`, or as the operator of this machine. */
  ask?(flags: Flags, json: boolean, api: Api): Promise<void>;
}

interface Operand {
  /** The placeholder in the help: `<setting>`. */
  readonly value: string;
  readonly says: string;
  /** The values that shell completion offers. */
  readonly choices: readonly string[];
}

/** Opens the database that the settings name, and closes it in any case. */
export function operate(
  flags: Flags,
  work: (context: OperatorContext, operator: Operator, config: Config) => Promise<void>,
  config = configOf(flags),
): Promise<number> {
  return operateLater(
    async (open) => {
      const { context, operator } = await open();
      await work(context, operator, config);
    },
    () => config,
  );
}

/** Like `operate`, but opens the database only when `work` needs it, so that an error in the flags is reported first. */
export async function operateLater(
  work: (open: () => Promise<Operating>) => Promise<void>,
  configured: () => Config,
): Promise<number> {
  let config: Config | undefined;
  let opening: Promise<Operating> | undefined;
  const openNow = async (settings: Config) => {
    config = settings;
    const operator = await openOperator(settings);
    return { context: operator.context(), operator, config: settings };
  };
  try {
    await work(() => {
      opening ??= openNow(configured());
      return opening;
    });
    return 0;
  } catch (error) {
    const problem = config ? writeProblem(config.databaseUrl, error) : error;
    throw problem instanceof ApiError ? new ConfigError(problem.message) : problem;
  } finally {
    const opened = await opening?.catch(() => undefined);
    await opened?.operator.close();
  }
}

/**
 * The settings of the server that runs on the home folder, overridden by flags and the environment of this command; a
 * line on stderr lists the differences. Without a server: the settings that a server started now would have.
 */
export function configOf(flags: Flags): Config {
  const sources = sourcesOf(settingFlags(flags), process.env, { beside: true });
  const resolved = resolveSettings(sources);
  const other = differences(resolved, sources).map(({ own: { setting, origin } }) => `${setting.name} (${origin})`);
  if (sources.running && other.length > 0) {
    const { home, pid } = sources.running;
    console.error(
      `The server that runs on ${home} (process ${pid}) has other settings than this command: ${other.join(', ')}. The command uses its own.`,
    );
  }
  return configFrom(resolved, sources);
}

/** The flags of settings among those of a call. */
export function settingFlags(flags: Flags): Record<string, string> {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => !(name in commandFlags)));
}

export function needed(flags: Flags, name: CommandFlag, why = ''): string {
  const value = flags[name];
  if (value === undefined) throw new ConfigError(`--${name} is required${why}.`);
  return value;
}

/** A person or a service account; undefined if neither is named. */
export function ownerOf(flags: Flags): KeyOwnerName | undefined {
  const { user, organization = 'default' } = flags;
  const serviceAccount = flags['service-account'];
  if (user !== undefined && serviceAccount !== undefined) {
    throw new ConfigError('Give --user or --service-account, not both.');
  }
  return user !== undefined ? { user } : serviceAccount === undefined ? undefined : { serviceAccount, organization };
}

export function neededOwner(flags: Flags): KeyOwnerName {
  const owner = ownerOf(flags);
  if (!owner) throw new ConfigError('Give --user or --service-account.');
  return owner;
}

/** Prints the value as JSON for programs, or the text for people. */
export function print(json: boolean, value: unknown, text: string): void {
  console.log(json ? JSON.stringify(value, undefined, Array.isArray(value) ? 2 : undefined) : text);
}

/** Prints a list: as JSON, or with the titles of its columns and the field, or the text, that each shows. */
export function printList(
  json: boolean,
  items: readonly Item[],
  columns: Readonly<Record<string, string | ((item: Item) => unknown)>>,
): void {
  const shown = Object.values(columns);
  const rows = items.map((item) => shown.map((one) => cell(typeof one === 'string' ? item[one] : one(item))));
  print(json, items, table(Object.keys(columns), rows));
}

/** A value of an answer as a cell of a table; times without seconds. */
function cell(value: unknown): string {
  const text = String(value ?? '');
  return /^\d{4}-\d\d-\d\dT/.test(text) ? text.slice(0, 16) : text;
}

/** Columns of text. Control characters are removed, because some texts are names that devices gave themselves. */
export function table(head: readonly string[], given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, '')));
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const lines = [head, ...rows].map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}
