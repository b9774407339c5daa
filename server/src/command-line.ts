/** The commands of the program, their flags and their help. */
import { parseArgs, styleText } from 'node:util';
import type { Api } from './commands/api.ts';
import { backupCommands } from './commands/backup.ts';
import {
  type Command,
  type CommandFlag,
  commandFlags,
  configOf,
  type Flags,
  operateLater,
} from './commands/command.ts';
import { completionCommands } from './commands/completion.ts';
import { configCommands } from './commands/config.ts';
import { neededContext } from './commands/contexts.ts';
import { databaseCommands } from './commands/database.ts';
import { doctorCommands } from './commands/doctor.ts';
import { importCommands } from './commands/import.ts';
import { keyCommands } from './commands/keys.ts';
import { contextCommands } from './commands/login.ts';
import { npmFlags } from './commands/npm-flags.ts';
import { openApiCommands } from './commands/openapi.ts';
import { OperatorApi } from './commands/operator-api.ts';
import { organizationCommands, workspaceCommands } from './commands/organizations.ts';
import { secretCommands } from './commands/secrets.ts';
import { serverCommands } from './commands/server.ts';
import { ServerApi } from './commands/server-api.ts';
import { serviceAccountCommands } from './commands/service-accounts.ts';
import { userCommands } from './commands/users.ts';
import { ConfigError } from './errors.ts';
import { asCalled, program } from './invocation.ts';
import { settings } from './settings/all.ts';
import { ended, flagOf, oneOf } from './settings/setting.ts';
import { suggestion } from './values/nearest.ts';
import { VERSION } from './values/versions.ts';

/** All commands, grouped by purpose. */
export const commandGroups: Readonly<Record<string, readonly Command[]>> = {
  'Run a server': [...serverCommands, ...configCommands],
  'Import and export': importCommands,
  'Maintain a server': [...doctorCommands, ...backupCommands, ...databaseCommands, ...secretCommands],
  'People, organizations and keys': [
    ...organizationCommands,
    ...workspaceCommands,
    ...userCommands,
    ...serviceAccountCommands,
    ...keyCommands,
  ],
  'Work on a running server': contextCommands,
  'For programs': [...openApiCommands, ...completionCommands(() => allCommands)],
};

export const allCommands: readonly Command[] = Object.values(commandGroups).flat();

/** Runs one command; resolves with the exit code. */
export async function commands(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parse(argv);
  const { json = false, help, version, ...given } = values as Record<string, string | boolean | undefined>;
  const texts = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
  const { words, flags } = npmFlags(positionals, texts, process.env);
  if (version) return say(`signalbox ${VERSION}`);
  const { command, operand } = commandOf(words);
  if (help || words[0] === 'help') {
    const named = words[0] === 'help' ? words.slice(1).join(' ') : words.join(' ');
    return say(asCalled(helpOf(named)));
  }
  if (command) {
    refuseFlagsOfOthers(command, flags, json === true);
    refuseOtherChoices(command, flags);
    const { ask, run } = command;
    if (ask) return withApi(flags, (api) => ask(flags, json === true, api));
    if (run) return run(flags, json === true, operand);
  }
  if (words.length > 0) throw new ConfigError(unknownCommand(words.join(' ')));
  console.error(asCalled(overview()));
  return 2;
}

/** Gives the API of the server of `--context`; without the flag, that of this machine for its operator. */
async function withApi(flags: Flags, work: (api: Api) => Promise<void>): Promise<number> {
  if (flags.context === undefined) {
    return operateLater(
      (open) => work(new OperatorApi(open)),
      () => configOf(flags),
    );
  }
  await work(new ServerApi(neededContext(flags.context)));
  return 0;
}

/** Finds the command that the words name, and the operand behind it, if the command takes one. */
function commandOf(words: readonly string[]): { command: Command | undefined; operand?: string | undefined } {
  const command = allCommands.find((one) => one.words === words.join(' '));
  if (command) return { command };
  const before = words.slice(0, -1).join(' ');
  return { command: allCommands.find((one) => one.operand && one.words === before), operand: words.at(-1) };
}

/** Suggests a command that contains a similar word: ` Did you mean "server start"?` for "start" or "strat". */
function commandWith(given: string, names: readonly string[]): string {
  const words = [...new Set(names.flatMap((name) => name.split(' ')))];
  return suggestion(given, words, (word) => `"${names.find((name) => name.split(' ').includes(word))}"`);
}

/** Names the commands that begin with the given words, or else those with similar names. */
function unknownCommand(given: string): string {
  const names = allCommands.map(({ words }) => words);
  const whole = names.find((name) => given.startsWith(`${name} `));
  if (whole !== undefined) {
    return `"signalbox ${whole}" accepts only flags, not "${given.slice(whole.length + 1)}". "signalbox ${whole} --help" lists them.`;
  }
  const begun = names.filter((name) => name.startsWith(`${given} `));
  const known = given.includes(' ')
    ? names
    : [...new Set([...names.map((name) => name.split(' ')[0] ?? ''), ...names])];
  const told =
    begun.length > 0
      ? ` There are: ${begun.join(', ')}.`
      : suggestion(given, known, (name) => `"${name}"`) || commandWith(given, names);
  return `Unknown command "${given}".${told} "signalbox --help" lists all.`;
}

function say(text: string): number {
  console.log(text);
  return 0;
}

function parse(argv: readonly string[]) {
  const names = Object.values(settings).map(({ name }) => flagOf(name));
  const ofCommands = Object.entries(commandFlags).map(([name, { value }]): [string, { type: 'string' | 'boolean' }] => [
    name,
    { type: value === '' ? 'boolean' : 'string' },
  ]);
  try {
    return parseArgs({
      args: [...argv],
      options: {
        ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
        ...Object.fromEntries(ofCommands),
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'V' },
      },
      allowPositionals: true,
    });
  } catch (error) {
    // The first sentence names the fault; the rest is advice for programmers.
    const [said = ''] = (error as Error).message.split(/\. |\n/);
    const option = /Unknown option '--([^']+)'/.exec(said)?.[1];
    const known = [...names, ...Object.keys(commandFlags)];
    const meant = option === undefined ? '' : suggestion(option, known, (name) => `--${name}`);
    throw new ConfigError(`${said.replace(/\.$/, '')}.${meant} "signalbox --help" lists the commands and their flags.`);
  }
}

/** Refuses a flag that the command does not have, because the caller expected an effect. */
function refuseFlagsOfOthers(command: Command, flags: Flags, json: boolean): void {
  const taken = new Set<string>(command.flags.map((flag) => flag.replace('?', '')));
  const other = Object.keys(flags).find((name) => name in commandFlags && !taken.has(name));
  if (other === 'context' && command.words.startsWith('users ')) {
    throw new ConfigError(
      `"signalbox ${command.words}" works only on the machine of the server, with its database: no API key may do this.`,
    );
  }
  if (other !== undefined || (json && !command.json)) {
    throw new ConfigError(
      `"signalbox ${command.words}" does not accept --${other ?? 'json'}. "signalbox ${command.words} --help" lists its flags.`,
    );
  }
}

/** Throws ConfigError for a value that the command does not know, before it opens the database. */
function refuseOtherChoices({ choices = {} }: Command, flags: Flags): void {
  for (const [name, known = []] of Object.entries(choices)) {
    const problem =
      flags[name as CommandFlag] === undefined ? undefined : oneOf(...known)(flags[name as CommandFlag] ?? '');
    if (problem !== undefined) throw new ConfigError(ended(`--${name} ${problem}`));
  }
}

/** The help of a command, of the commands that begin with these words, or of all if there are none. */
function helpOf(words: string): string {
  const command = allCommands.find((one) => one.words === words);
  if (!command) {
    const [first = ''] = words.split(' ');
    if (words !== '' && !allCommands.some((one) => one.words.split(' ')[0] === first)) {
      throw new ConfigError(unknownCommand(words));
    }
    return overview(first);
  }
  const flags = command.flags.map((flag) => flag.replace('?', '') as CommandFlag);
  const { operand } = command;
  const lines = [
    ...(operand ? [[operand.value, operand.says]] : []),
    ...flags.map((flag) => [synopsisOf(flag), commandFlags[flag].says]),
  ];
  const width = Math.max(0, ...lines.map(([name = '']) => name.length)) + 2;
  return [
    `${lineOf(command, program())}\n`,
    command.says,
    ...(lines.length > 0 ? [''] : []),
    ...lines.map(([name = '', says]) => `  ${name.padEnd(width)}${says}`),
    ...(command.json ? [`\n--json prints the result as JSON.`] : []),
    `\n${settingsNote}`,
    ...(command.words === 'server start' ? ['', ...settingLines()] : []),
  ].join('\n');
}

const settingsNote =
  'Every setting is also a flag: SIGNALBOX_PORT is --port. "signalbox server start --help" describes the settings, and "signalbox config" prints their values.';

function settingLines(): string[] {
  const all = Object.values(settings);
  const width = Math.max(...all.map(({ name }) => flagOf(name).length)) + 4;
  return all.map(({ name, description }) => `  ${`--${flagOf(name)}`.padEnd(width)}${description}`);
}

/** Every command by its group, or those that begin with `word`. */
function overview(word?: string): string {
  const begin = allCommands.filter(({ words }) => words.split(' ')[0] === word);
  const groups = begin.length > 0 ? [['', begin] as const] : Object.entries(commandGroups);
  const told = groups.flatMap(([title, commands]) => [
    ...(title === '' ? [] : [`${styleText('bold', title)}\n`]),
    ...commands.map((command) => `${lineOf(command, program())}\n    ${command.says}`),
    '',
  ]);
  return [...told, settingsNote].join('\n');
}

/** The name of a command with its flags. `called` is the name of the program. */
export function lineOf({ words, operand, flags, json }: Command, called = 'signalbox'): string {
  const told = flags.map((flag) => {
    const name = flag.replace('?', '') as CommandFlag;
    return flag.endsWith('?') ? `[${synopsisOf(name)}]` : synopsisOf(name);
  });
  return [called, words, ...(operand ? [`[${operand.value}]`] : []), ...told, ...(json ? ['[--json]'] : [])].join(' ');
}

export function synopsisOf(flag: CommandFlag): string {
  return `--${flag} ${commandFlags[flag].value}`.trimEnd();
}
