import { parseArgs } from 'node:util';
import { ConfigError, flagOf, readConfig, resolveSettings, settings } from './config.ts';
import { ORGANIZATION_ROLES, type OrganizationRole } from './identity/access.ts';
import type { KeyOwnerName } from './platform/operator.ts';
import type { Rotation } from './platform/secrets/rotate.ts';
import { type Operator, openOperator, startServer } from './server.ts';

const USAGE = `signalbox server start [--port 4200] [--database-url sqlite:signalbox.db] …   serve until stopped
signalbox config [--json]                                                     every setting, its value and its source
signalbox users create --email <address> --organization <slug> --role <admin|member> [--name <name>]
signalbox keys create --user <address> --descriptor <text>                    prints the key once
signalbox keys create --service-account <name> --organization <slug> --descriptor <text>
signalbox secrets rotate [--json]                                             a new encryption key for what is stored`;

/** Flags of commands, beside those of the settings. */
const COMMAND_FLAGS = ['email', 'organization', 'role', 'name', 'user', 'service-account', 'descriptor'] as const;
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
      return createUser(flags as Record<string, string>, json === true);
    case 'keys create':
      return createKey(flags as Record<string, string>, json === true);
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

async function createUser(flags: CommandFlags, json: boolean): Promise<number> {
  const { email, organization = 'default', role = 'member', name } = flags;
  if (email === undefined) throw new ConfigError('--email is needed.');
  if (!(ORGANIZATION_ROLES as readonly string[]).includes(role)) {
    throw new ConfigError(`--role is one of ${ORGANIZATION_ROLES.join(', ')}.`);
  }
  const given = { email, name: name ?? null, organization, role: role as OrganizationRole };
  return operate(flags, async (operator) => {
    const { id } = await operator.createUser(given);
    console.log(json ? JSON.stringify({ id, email, organization, role }) : `${email} is ${role} of ${organization}.`);
  });
}

/** The key alone on stdout, so that a script can take it. */
async function createKey(flags: CommandFlags, json: boolean): Promise<number> {
  const { user, organization = 'default', descriptor } = flags;
  if (descriptor === undefined) throw new ConfigError('--descriptor is needed: what the key is for.');
  const account = flags['service-account'];
  if ((user === undefined) === (account === undefined)) {
    throw new ConfigError('Either --user or --service-account is needed.');
  }
  const owner: KeyOwnerName = user === undefined ? { serviceAccount: account ?? '', organization } : { user };
  return operate(flags, async (operator) => {
    const { id, secret } = await operator.createKey(owner, descriptor);
    console.log(json ? JSON.stringify({ id, descriptor, secret }) : secret);
  });
}

/** The outcome on stdout, the progress on stderr. Exit code 1 when some secrets cannot be read. */
async function rotate(flags: CommandFlags, json: boolean): Promise<number> {
  let unreadable = 0;
  const code = await operate(flags, async (operator) => {
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

async function operate(flags: CommandFlags, work: (operator: Operator) => Promise<void>): Promise<number> {
  const settingFlags = Object.fromEntries(
    Object.entries(flags).filter(([name]) => !(COMMAND_FLAGS as readonly string[]).includes(name)),
  );
  const operator = await openOperator(readConfig(settingFlags, process.env));
  try {
    await work(operator);
    return 0;
  } finally {
    await operator.close();
  }
}
