import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { ConfigError, flagOf, readConfig, resolveSettings, settings } from './config.ts';
import { ApiError } from './errors.ts';
import { ORGANIZATION_ROLES, type OrganizationRole } from './identity/access.ts';
import { addressOf, clientSettings } from './platform/client-settings.ts';
import { createKey, createUser, type KeyOwnerName, type OperatorContext } from './platform/operator.ts';
import { listKeys, revokeKeyById } from './platform/operator-keys.ts';
import { changePassword, listUsers, removeUser } from './platform/operator-users.ts';
import type { Rotation } from './platform/secrets/rotate.ts';
import { SET_UP_SECONDS } from './platform/set-up/operations.ts';
import { type Operator, openOperator, startServer } from './server.ts';

const USAGE = `signalbox server start [--port 4200] [--database-url sqlite:signalbox.db] …   serve until stopped
signalbox config [--json]                                                     every setting, its value and its source
signalbox users create --email <address> --organization <slug> --role <admin|member> [--name <name>]
signalbox users list [--json]                                                 everybody, and how they sign in
signalbox users password --email <address>                                    reads a new password from standard input
signalbox users remove --email <address>                                      ends memberships, sessions and keys
signalbox keys create --user <address> --descriptor <text>                    prints the key once
signalbox keys create --service-account <name> --organization <slug> --descriptor <text>
signalbox keys list [--user <address> | --service-account <name> --organization <slug>] [--json]
signalbox keys revoke --id <id of the key>

signalbox secrets rotate [--json]                                             a new encryption key for what is stored`;

/** Flags of commands, beside those of the settings. */
const COMMAND_FLAGS = ['email', 'organization', 'role', 'name', 'user', 'service-account', 'descriptor', 'id'] as const;
type CommandFlags = Readonly<Partial<Record<(typeof COMMAND_FLAGS)[number], string>>>;

/** Runs one command; resolves with the exit code. */
export async function commands(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parse(argv);
  const { json, ...flags } = values as Record<string, string | boolean | undefined>;
  switch (positionals.join(' ')) {
    case 'server start':
      return serveUntilStopped(flags as Record<string, string>);
    case 'config':
      return printConfig(flags as Record<string, string>, json === true);
    case 'users create':
      return createOne(flags as Record<string, string>, json === true);
    case 'keys create':
      return createKeyFor(flags as Record<string, string>, json === true);
    case 'users list':
      return printUsers(flags as Record<string, string>, json === true);
    case 'users password':
      return readPassword(flags as Record<string, string>, json === true);
    case 'users remove':
      return removeOne(flags as Record<string, string>, json === true);
    case 'keys list':
      return printKeys(flags as Record<string, string>, json === true);
    case 'keys revoke':
      return revokeOne(flags as Record<string, string>, json === true);
    case 'secrets rotate':
      return rotate(flags as Record<string, string>, json === true);
    default:
      console.error(USAGE);
      return 2;
  }
}

function parse(argv: readonly string[]) {
  const names = Object.values(settings).map(({ name }) => [flagOf(name), { type: 'string' as const }]);
  try {
    return parseArgs({
      args: [...argv],
      options: {
        ...Object.fromEntries([...names, ...COMMAND_FLAGS.map((name) => [name, { type: 'string' as const }])]),
        json: { type: 'boolean' },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

async function serveUntilStopped(flags: Record<string, string>): Promise<number> {
  const running = await startServer(readConfig(flags, process.env));
  console.log(`Signalbox is ready.
  dashboard   ${running.url}/
  API         ${running.url}/api     (PREFECT_API_URL)
  API docs    ${running.url}/docs`);
  if (running.setUpUrl !== undefined) {
    console.log(`Nobody can sign in yet. The first administrator's account is made here, once, within ${SET_UP_SECONDS / 3600} hours:
  set up      ${running.setUpUrl}`);
  }
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await running.stop();
  return 0;
}

function printConfig(flags: Record<string, string>, json: boolean): number {
  const rows = Object.values(resolveSettings(flags, process.env)).map(({ secret, ...setting }) => ({
    ...setting,
    value: secret && setting.value ? '********' : setting.value,
  }));
  if (json) console.log(JSON.stringify(rows, undefined, 2));
  else for (const { name, value, source } of rows) console.log(`${name.padEnd(32)} ${value || '(empty)'}  [${source}]`);
  return 0;
}

async function createOne(flags: CommandFlags, json: boolean): Promise<number> {
  const { organization = 'default', role = 'member', name } = flags;
  const email = needed(flags, 'email');
  if (!(ORGANIZATION_ROLES as readonly string[]).includes(role)) {
    throw new ConfigError(`--role is one of ${ORGANIZATION_ROLES.join(', ')}.`);
  }
  const given = { email, name: name ?? null, organization, role: role as OrganizationRole };
  return operate(flags, async (context) => {
    const { id } = await createUser(context, given);
    console.log(json ? JSON.stringify({ id, email, organization, role }) : `${email} is ${role} of ${organization}.`);
  });
}

function printUsers(flags: CommandFlags, json: boolean): Promise<number> {
  return operate(flags, async (context) => {
    const users = await listUsers(context);
    if (json) return console.log(JSON.stringify(users, undefined, 2));
    const rows = users.map(({ email, name, state, signsInWith, organizations }) => [
      email,
      name ?? '',
      state,
      signsInWith.join(', ') || 'not yet',
      organizations.map(({ slug, role }) => `${slug} (${role})`).join(', '),
    ]);
    printTable(['ADDRESS', 'NAME', 'STATE', 'SIGNS IN WITH', 'ORGANIZATIONS'], rows);
  });
}

/** From standard input, so that it is in no list of processes and no history. */
function readPassword(flags: CommandFlags, json: boolean): Promise<number> {
  const email = needed(flags, 'email');
  return operate(flags, async (context) => {
    if (process.stdin.isTTY) console.error('New password, then Enter:');
    const lines = createInterface({ input: process.stdin });
    const { value: password = '' } = (await lines[Symbol.asyncIterator]().next()) as { value?: string };
    lines.close();
    await changePassword(context, email, password);
    console.log(json ? JSON.stringify({ email }) : `${email} has a new password, and is signed out everywhere.`);
  });
}

function removeOne(flags: CommandFlags, json: boolean): Promise<number> {
  const email = needed(flags, 'email');
  return operate(flags, async (context) => {
    await removeUser(context, email);
    console.log(json ? JSON.stringify({ email }) : `${email} is removed.`);
  });
}

/** The key alone on stdout, so that a script can take it. */
function createKeyFor(flags: CommandFlags, json: boolean): Promise<number> {
  const descriptor = needed(flags, 'descriptor', ': what the key is for');
  const owner = ownerOf(flags);
  if (!owner) throw new ConfigError('Either --user or --service-account is needed.');
  return operate(flags, async (context) => {
    const { id, secret } = await createKey(context, owner, descriptor);
    console.log(json ? JSON.stringify({ id, descriptor, secret }) : secret);
    if (json) return;
    // Where stderr is no terminal it may be a log that is kept, and the key stays out of it.
    const address = addressOf(readConfig(settingFlagsOf(flags), process.env));
    console.error(clientSettings(address, process.stderr.isTTY ? secret : '<the key>'));
  });
}

function printKeys(flags: CommandFlags, json: boolean): Promise<number> {
  const owner = ownerOf(flags);
  return operate(flags, async (context) => {
    const keys = await listKeys(context, owner);
    if (json) return console.log(JSON.stringify(keys, undefined, 2));
    const rows = keys.map((key) => [
      key.id,
      key.state,
      `${key.owner ?? '(removed)'}${key.organization === null ? '' : ` of ${key.organization}`}`,
      key.descriptor,
      key.created.slice(0, 16),
      key.lastUsed?.slice(0, 16) ?? 'never',
    ]);
    printTable(['ID', 'STATE', 'OWNER', 'DESCRIPTOR', 'CREATED', 'LAST USED'], rows);
  });
}

function revokeOne(flags: CommandFlags, json: boolean): Promise<number> {
  const id = needed(flags, 'id');
  return operate(flags, async (context) => {
    const key = await revokeKeyById(context, id);
    console.log(json ? JSON.stringify(key) : `The key "${key.descriptor}" of ${key.owner ?? 'nobody'} is revoked.`);
  });
}

function needed(flags: CommandFlags, name: keyof CommandFlags, why = ''): string {
  return flags[name] ?? fail(`--${name} is needed${why}.`);
}

function fail(message: string): never {
  throw new ConfigError(message);
}

function ownerOf(flags: CommandFlags): KeyOwnerName | undefined {
  const { user, organization = 'default' } = flags;
  const serviceAccount = flags['service-account'];
  if (user !== undefined && serviceAccount !== undefined) {
    throw new ConfigError('Either --user or --service-account is meant, not both.');
  }
  return user !== undefined ? { user } : serviceAccount === undefined ? undefined : { serviceAccount, organization };
}

/** Control characters are left out: some texts are what devices call themselves. */
function printTable(head: readonly string[], given: readonly (readonly string[])[]): void {
  const rows = given.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, '')));
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of [head, ...rows]) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** The outcome on stdout, the progress on stderr. Exit code 1 when some secrets cannot be read. */
async function rotate(flags: CommandFlags, json: boolean): Promise<number> {
  let unreadable = 0;
  const code = await operate(flags, async (_context, operator) => {
    const rotation = await operator.rotateSecrets((done, total) =>
      process.stderr.write(`${done} of ${total} secrets\n`),
    );
    unreadable = rotation.unreadable;
    console.log(json ? JSON.stringify(rotation) : described(rotation));
  });
  return unreadable > 0 ? 1 : code;
}

function described({ keyId, isNew, reencrypted, unreadable, retired, kept }: Rotation): string {
  return [
    `${isNew ? 'A new key' : 'The key'} ${keyId} encrypts; ${reencrypted} secrets were written anew under it.`,
    ...(unreadable > 0 ? [`${unreadable} secrets cannot be read with any known key and stay as they are.`] : []),
    ...(retired.length > 0 ? [`Nothing needs these keys any more, and they are gone: ${retired.join(', ')}.`] : []),
    ...(kept.length > 0
      ? [`Still known: ${kept.join(', ')}. Run this again in ten minutes to take away what nothing needs.`]
      : []),
  ].join('\n');
}

function settingFlagsOf(flags: CommandFlags): Record<string, string> {
  return Object.fromEntries(
    Object.entries(flags).filter(([name]) => !(COMMAND_FLAGS as readonly string[]).includes(name)),
  );
}

async function operate(
  flags: CommandFlags,
  work: (context: OperatorContext, operator: Operator) => Promise<void>,
): Promise<number> {
  const operator = await openOperator(readConfig(settingFlagsOf(flags), process.env));
  try {
    await work(operator.context(), operator);
    return 0;
  } catch (error) {
    throw error instanceof ApiError ? new ConfigError(error.message) : error;
  } finally {
    await operator.close();
  }
}
