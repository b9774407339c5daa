/** How a command of the program is declared, and what those for operators share. */
import { type Config, ConfigError, readConfig } from '../config.ts';
import { ApiError } from '../errors.ts';
import type { KeyOwnerName, OperatorContext } from '../platform/operator.ts';
import { type Operator, openOperator } from '../server.ts';

/** The flags of commands, beside those of the settings: what follows the name in the help, and one sentence. */
export const commandFlags = {
  email: { value: '<address>', says: 'The e-mail address of a person.' },
  organization: { value: '<slug>', says: 'The organization; default where it is left out.' },
  workspace: { value: '<handle>', says: 'The workspace; default where it is left out.' },
  role: { value: '<role>', says: 'The role that is given.' },
  name: { value: '<name>', says: 'A name for people to read.' },
  slug: { value: '<slug>', says: 'The name in addresses: lower-case letters, digits and single dashes.' },
  handle: { value: '<handle>', says: 'The name in addresses: lower-case letters, digits and single dashes.' },
  admin: { value: '<address>', says: 'The person who administers it.' },
  'default-role': { value: '<role>', says: 'What members may do there without a grant; nothing where it is left out.' },
  description: { value: '<text>', says: 'A description for people to read.' },
  user: { value: '<address>', says: 'A person, by e-mail address.' },
  'service-account': { value: '<name>', says: 'A service account of the organization, by name.' },
  descriptor: { value: '<text>', says: 'What the key is for.' },
  id: { value: '<id>', says: 'The id, as a list shows it.' },
} as const;

export type CommandFlag = keyof typeof commandFlags;
/** The flags of one call: those of commands and, under their own names, those of settings. */
export type Flags = Readonly<Partial<Record<CommandFlag, string>>>;

export interface Command {
  /** `keys create` */
  readonly words: string;
  /** What it does, in one line of the help. */
  readonly says: string;
  /** Those it takes; a name with `?` may be left out. Flags of settings are always taken. */
  readonly flags: readonly (CommandFlag | `${CommandFlag}?`)[];
  /** Whether `--json` prints what programs read. */
  readonly json?: boolean;
  /** Resolves with the exit code. Throws ConfigError for what the operator did wrong. */
  run(flags: Flags, json: boolean): Promise<number> | number;
}

/** Opens the database that the settings name, and closes it whatever happens. */
export async function operate(
  flags: Flags,
  work: (context: OperatorContext, operator: Operator) => Promise<void>,
): Promise<number> {
  const operator = await openOperator(configOf(flags));
  try {
    await work(operator.context(), operator);
    return 0;
  } catch (error) {
    throw error instanceof ApiError ? new ConfigError(error.message) : error;
  } finally {
    await operator.close();
  }
}

/** What the settings say, flags of settings included. */
export function configOf(flags: Flags): Config {
  const ofSettings = Object.entries(flags).filter(([name]) => !(name in commandFlags));
  return readConfig(Object.fromEntries(ofSettings), process.env);
}

export function needed(flags: Flags, name: CommandFlag, why = ''): string {
  const value = flags[name];
  if (value === undefined) throw new ConfigError(`--${name} is needed${why}.`);
  return value;
}

/** A person or a service account; undefined where neither is named. */
export function ownerOf(flags: Flags): KeyOwnerName | undefined {
  const { user, organization = 'default' } = flags;
  const serviceAccount = flags['service-account'];
  if (user !== undefined && serviceAccount !== undefined) {
    throw new ConfigError('Either --user or --service-account is meant, not both.');
  }
  return user !== undefined ? { user } : serviceAccount === undefined ? undefined : { serviceAccount, organization };
}

export function neededOwner(flags: Flags): KeyOwnerName {
  const owner = ownerOf(flags);
  if (!owner) throw new ConfigError('Either --user or --service-account is needed.');
  return owner;
}

/** What programs read, or else the sentence or lines for people. */
export function print(json: boolean, value: unknown, text: string): void {
  console.log(json ? JSON.stringify(value, undefined, Array.isArray(value) ? 2 : undefined) : text);
}

/** Columns of text. Control characters are left out: some texts are what devices call themselves. */
export function table(head: readonly string[], given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, '')));
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const lines = [head, ...rows].map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}
