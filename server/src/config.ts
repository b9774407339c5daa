/**
 * Every setting once: name, default, unit and one sentence. Flags win over the environment, which wins over defaults.
 * Names of the reference server that users already have (`PREFECT_SERVER_*`) are accepted where they mean the same.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Background services by name, as `SIGNALBOX_SERVICES` lists them. */
export const SERVICE_NAMES = [
  'scheduler',
  'late-runs',
  'pause-expiry',
  'cancellation-cleanup',
  'zombie-detection',
  'foreman',
  'lease-expiry',
  'triggers',
  'actions',
  'builds',
  'retention',
] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** What the retention service can delete. Source: the reference's setting of the same values, and two of ours: `logs` and `mcp_requests`. */
export const RETENTION_KINDS = ['events', 'logs', 'orphans', 'flow_runs', 'mcp_requests'] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

interface Setting {
  readonly name: string;
  readonly alias?: string;
  readonly fallback: string;
  readonly description: string;
  readonly secret?: boolean;
  /** Returns what is wrong, or undefined. */
  readonly check?: (value: string) => string | undefined;
}

const wholeNumber = (minimum: number, maximum: number) => (value: string) =>
  /^\d+$/.test(value) && Number(value) >= minimum && Number(value) <= maximum
    ? undefined
    : `must be a whole number from ${minimum} to ${maximum}`;
const oneOf =
  (...choices: string[]) =>
  (value: string) =>
    choices.includes(value) ? undefined : `must be one of ${choices.join(', ')}`;

export const settings = {
  host: {
    name: 'SIGNALBOX_HOST',
    alias: 'PREFECT_SERVER_API_HOST',
    fallback: '127.0.0.1',
    description: 'Address to listen on.',
  },
  port: {
    name: 'SIGNALBOX_PORT',
    alias: 'PREFECT_SERVER_API_PORT',
    fallback: '4200',
    description: 'Port to listen on; 0 takes any free one.',
    check: wholeNumber(0, 65_535),
  },
  publicUrl: {
    name: 'SIGNALBOX_PUBLIC_URL',
    fallback: '',
    description: 'Address that people reach this server by, for links; empty means the address of each request.',
    check: (value) =>
      value === '' || /^https?:\/\/[^/?#]+$/.test(value) ? undefined : 'must be like https://signalbox.example',
  },
  home: {
    name: 'SIGNALBOX_HOME',
    fallback: join(homedir(), '.signalbox'),
    description: 'Folder for the database file and whatever else the server keeps.',
  },
  databaseUrl: {
    name: 'SIGNALBOX_DATABASE_URL',
    fallback: '',
    description: 'sqlite:<file> or postgres://…; empty means signalbox.db in the home folder.',
    secret: true,
    check: (value) =>
      value === '' || /^(sqlite:.|postgres(ql)?:\/\/)/.test(value)
        ? undefined
        : 'must start with sqlite: or postgres://',
  },
  encryptionKey: {
    name: 'SIGNALBOX_ENCRYPTION_KEY',
    alias: 'PREFECT_SERVER_ENCRYPTION_KEY',
    fallback: '',
    description:
      'Key that stored secrets are encrypted with: 32 bytes in base64; empty means encryption.key in the home folder. With several, separated by commas, the first encrypts and all decrypt.',
    secret: true,
    check: (value) =>
      value === '' || value.split(',').every((key) => /^\s*[A-Za-z0-9+/_-]{43}=?\s*$/.test(key))
        ? undefined
        : 'must be 32 bytes in base64 (44 characters), or several such keys separated by commas',
  },
  apiAuth: {
    name: 'SIGNALBOX_API_AUTH',
    fallback: '',
    description:
      'Who may use /api: open (anyone who reaches it), basic (the user:password of SIGNALBOX_API_AUTH_STRING) or key (API keys of those with a role in the default workspace).',
    check: (value) => (value === '' ? undefined : oneOf('open', 'basic', 'key')(value)),
  },
  apiAuthString: {
    name: 'SIGNALBOX_API_AUTH_STRING',
    alias: 'PREFECT_SERVER_API_AUTH_STRING',
    fallback: '',
    description: 'user:password for the access mode basic.',
    secret: true,
  },
  allowOpenAccess: {
    name: 'SIGNALBOX_ALLOW_OPEN_ACCESS',
    fallback: 'false',
    description: 'true lets the access mode open listen on an address that other machines reach.',
    check: oneOf('true', 'false'),
  },
  oidcIssuer: {
    name: 'SIGNALBOX_OIDC_ISSUER',
    fallback: '',
    description: 'Identity provider (OpenID Connect) that people may sign in through; empty means none.',
    check: (value) =>
      value === '' ||
      /^https:\/\/[^?#]+$/.test(value) ||
      /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?(\/[^?#]*)?$/.test(value)
        ? undefined
        : 'must start with https:// (http:// on this machine only)',
  },
  oidcClientId: {
    name: 'SIGNALBOX_OIDC_CLIENT_ID',
    fallback: '',
    description:
      'Name of this server at the identity provider; its redirect address there is <this server>/sign-in/oidc/callback.',
  },
  oidcClientSecret: {
    name: 'SIGNALBOX_OIDC_CLIENT_SECRET',
    fallback: '',
    description: 'Secret of this server at the identity provider; empty for a public client.',
    secret: true,
  },
  oidcLabel: {
    name: 'SIGNALBOX_OIDC_LABEL',
    fallback: 'single sign-on',
    description: 'What the button says after "Sign in with".',
  },
  oidcScopes: {
    name: 'SIGNALBOX_OIDC_SCOPES',
    fallback: 'openid email profile',
    description: 'What the identity provider is asked for; openid and email are needed.',
    check: (value) =>
      ['openid', 'email'].every((scope) => value.split(' ').includes(scope)) ? undefined : 'must hold openid and email',
  },
  oidcEmailDomains: {
    name: 'SIGNALBOX_OIDC_EMAIL_DOMAINS',
    fallback: '',
    description: 'Domains of addresses that may come through the identity provider, with commas; empty means all.',
  },
  oidcNewUsers: {
    name: 'SIGNALBOX_OIDC_NEW_USERS',
    fallback: 'invited',
    description:
      'Who gets an account by signing in through the identity provider: invited (whose address has an open invitation) or members (everyone, as a member of the organization behind /api).',
    check: oneOf('invited', 'members'),
  },
  services: {
    name: 'SIGNALBOX_SERVICES',
    fallback: 'all',
    description: 'Background services that run in this process: all, none, or a list of names.',
    check: (value) => {
      const unknown = value
        .split(',')
        .find((name) => !['all', 'none', ...(SERVICE_NAMES as readonly string[])].includes(name.trim()));
      return unknown === undefined ? undefined : `names an unknown service, "${unknown}"`;
    },
  },
  logLevel: {
    name: 'SIGNALBOX_LOG_LEVEL',
    alias: 'PREFECT_LOGGING_SERVER_LEVEL',
    fallback: 'info',
    description: 'trace, debug, info, warn, error or silent.',
    check: (value) =>
      oneOf('trace', 'debug', 'info', 'warn', 'warning', 'error', 'critical', 'silent')(value.toLowerCase()),
  },
  maxBodyBytes: {
    name: 'SIGNALBOX_MAX_BODY_BYTES',
    fallback: '16777216',
    description: 'Larger request bodies are refused with 413.',
    check: wholeNumber(1024, 1_073_741_824),
  },
  apiMaxLimit: {
    name: 'SIGNALBOX_API_DEFAULT_LIMIT',
    alias: 'PREFECT_SERVER_API_DEFAULT_LIMIT',
    fallback: '200',
    description: 'Default and largest number of rows that a list answers.',
    check: wholeNumber(1, 10_000),
  },
  maxParameterBytes: {
    name: 'SIGNALBOX_MAX_PARAMETER_BYTES',
    alias: 'PREFECT_SERVER_API_MAX_PARAMETER_SIZE',
    fallback: '524288',
    description: 'Largest JSON size of the parameters of a flow run; 0 means no limit.',
    check: wholeNumber(0, 1_073_741_824),
  },
  schedulerMinRuns: {
    name: 'SIGNALBOX_SCHEDULER_MIN_RUNS',
    alias: 'PREFECT_SERVER_SERVICES_SCHEDULER_MIN_RUNS',
    fallback: '3',
    description: 'Runs that a schedule has ahead at least.',
    check: wholeNumber(1, 1000),
  },
  schedulerMaxRuns: {
    name: 'SIGNALBOX_SCHEDULER_MAX_RUNS',
    alias: 'PREFECT_SERVER_SERVICES_SCHEDULER_MAX_RUNS',
    fallback: '100',
    description: 'Runs that are made for a schedule at once at most.',
    check: wholeNumber(1, 1000),
  },
  schedulerMinSeconds: {
    name: 'SIGNALBOX_SCHEDULER_MIN_SECONDS',
    fallback: '3600',
    description: 'Seconds ahead that the runs of a schedule reach at least.',
    check: wholeNumber(0, 31_536_000),
  },
  schedulerMaxSeconds: {
    name: 'SIGNALBOX_SCHEDULER_MAX_SECONDS',
    fallback: '8640000',
    description: 'Seconds ahead beyond which no run is made.',
    check: wholeNumber(1, 315_360_000),
  },
  lateAfterSeconds: {
    name: 'SIGNALBOX_LATE_AFTER_SECONDS',
    alias: 'PREFECT_SERVER_SERVICES_LATE_RUNS_AFTER_SECONDS',
    fallback: '15',
    description: 'Seconds after its start time that a run which has not begun is called late.',
    check: wholeNumber(0, 86_400),
  },
  heartbeatSeconds: {
    name: 'SIGNALBOX_HEARTBEAT_SECONDS',
    alias: 'PREFECT_FLOWS_HEARTBEAT_FREQUENCY',
    fallback: '180',
    description:
      'Seconds between heartbeats of a flow run while it has sent only one; after three times as long without another it is Crashed.',
    check: wholeNumber(1, 86_400),
  },
  retention: {
    name: 'SIGNALBOX_RETENTION',
    alias: 'PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED',
    fallback: 'events,logs,mcp_requests',
    description:
      'What is deleted once it is old: events, logs, orphans (logs and artifacts whose flow run is gone), flow_runs (ended ones), mcp_requests (the record of requests to MCP servers); or none.',
    check: (value) => {
      const unknown = listed(value).find(
        (kind) => !['true', 'false', 'none', ...(RETENTION_KINDS as readonly string[])].includes(kind),
      );
      return unknown === undefined ? undefined : `names something unknown, "${unknown}"`;
    },
  },
  eventRetentionSeconds: {
    name: 'SIGNALBOX_EVENT_RETENTION_SECONDS',
    alias: 'PREFECT_SERVER_EVENTS_RETENTION_PERIOD',
    fallback: '604800',
    description: 'Age in seconds at which events are old.',
    check: wholeNumber(60, 3_155_760_000),
  },
  runRetentionSeconds: {
    name: 'SIGNALBOX_RUN_RETENTION_SECONDS',
    alias: 'PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD',
    fallback: '7776000',
    description: 'Age in seconds, from their end, at which flow runs are old, and logs, from their time.',
    check: wholeNumber(3600, 3_155_760_000),
  },
  mcpRequestRetentionSeconds: {
    name: 'SIGNALBOX_MCP_REQUEST_RETENTION_SECONDS',
    fallback: '2592000',
    description: 'Age in seconds at which the record of a request to an MCP server is old.',
    check: wholeNumber(60, 3_155_760_000),
  },
  allowPrivateTargets: {
    name: 'SIGNALBOX_ALLOW_PRIVATE_TARGETS',
    fallback: 'true',
    description:
      'false keeps webhooks, notifications and external MCP servers off this machine and private networks; cloud metadata is always refused.',
    check: oneOf('true', 'false'),
  },
  mcpAllowedOrigins: {
    name: 'SIGNALBOX_MCP_ALLOWED_ORIGINS',
    fallback: '',
    description:
      'Origins of web pages, separated by commas, that may use MCP servers from a browser, beside this server.',
    check: (value) =>
      listed(value).every((origin) => origin === '' || URL.parse(origin)?.origin === origin)
        ? undefined
        : 'must be origins like https://inspector.example',
  },
  hosting: {
    name: 'SIGNALBOX_HOSTING',
    fallback: 'off',
    description:
      'process lets editors of MCP servers run their programs here, as processes with the rights of this server; off runs none.',
    check: oneOf('off', 'process'),
  },
  drainSeconds: {
    name: 'SIGNALBOX_DRAIN_SECONDS',
    fallback: '10',
    description: 'Seconds that requests under way are given to finish after SIGTERM.',
    check: wholeNumber(0, 3600),
  },
} as const satisfies Record<string, Setting>;

type SettingKey = keyof typeof settings;

export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecret: string;
  readonly label: string;
  readonly scopes: string;
  /** In lower case; empty means all. */
  readonly emailDomains: readonly string[];
  readonly newUsers: 'invited' | 'members';
}

export interface Config {
  readonly host: string;
  readonly port: number;
  /** `https://signalbox.example`, or empty. */
  readonly publicUrl: string;
  readonly home: string;
  readonly databaseUrl: string;
  /** Empty when the keys are a file in `home`; else one, or several separated by commas. */
  readonly encryptionKey: string;
  readonly apiAuth: 'open' | 'basic' | 'key';
  readonly apiAuthString: string;
  /** Undefined where people sign in with passwords only. */
  readonly oidc: OidcConfig | undefined;
  /** The background services that run in this process. */
  readonly services: ReadonlySet<ServiceName>;
  readonly logLevel: string;
  readonly maxBodyBytes: number;
  readonly apiMaxLimit: number;
  readonly maxParameterBytes: number;
  readonly schedulerMinRuns: number;
  readonly schedulerMaxRuns: number;
  readonly schedulerMinSeconds: number;
  readonly schedulerMaxSeconds: number;
  readonly lateAfterSeconds: number;
  readonly heartbeatSeconds: number;
  /** What the retention service deletes. */
  readonly retention: ReadonlySet<RetentionKind>;
  readonly eventRetentionSeconds: number;
  readonly runRetentionSeconds: number;
  readonly mcpRequestRetentionSeconds: number;
  /** Whether users may aim webhooks and notifications at private addresses. */
  readonly allowPrivateTargets: boolean;
  readonly mcpAllowedOrigins: readonly string[];
  /** Whether programs of users run on this machine. */
  readonly hosting: 'off' | 'process';
  readonly drainSeconds: number;
}

/** A setting with its value and where it came from, as `signalbox config` prints it. */
export interface ResolvedSetting {
  readonly name: string;
  readonly value: string;
  readonly source: 'flag' | 'environment' | 'default';
  readonly secret: boolean;
}

/** A configuration that cannot be used; the message is for the operator. */
export class ConfigError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

export function resolveSettings(
  flags: Readonly<Record<string, string>>,
  environment: Environment,
): Record<SettingKey, ResolvedSetting> {
  const known = new Set<string>(Object.values(settings).flatMap(({ name }) => [name, `${name}_FILE`]));
  for (const name of Object.keys(environment)) {
    if (name.startsWith('SIGNALBOX_') && !name.startsWith('SIGNALBOX_TEST_') && !known.has(name)) {
      throw new ConfigError(`${name} is not a setting of Signalbox. "signalbox config" lists the settings.`);
    }
  }
  const resolved = Object.entries(settings).map(([key, setting]) => [key, resolveOne(setting, flags, environment)]);
  return Object.fromEntries(resolved) as Record<SettingKey, ResolvedSetting>;
}

function resolveOne(
  setting: Setting,
  flags: Readonly<Record<string, string>>,
  environment: Environment,
): ResolvedSetting {
  const { name, alias, secret = false } = setting;
  const flag = flags[flagOf(name)];
  const found =
    flag !== undefined
      ? ({ value: flag, source: 'flag' } as const)
      : environment[name] !== undefined
        ? ({ value: environment[name], source: 'environment' } as const)
        : secret && environment[`${name}_FILE`] !== undefined
          ? ({ value: readFileSync(environment[`${name}_FILE`] ?? '', 'utf8').trim(), source: 'environment' } as const)
          : alias !== undefined && environment[alias] !== undefined
            ? ({ value: environment[alias], source: 'environment' } as const)
            : ({ value: setting.fallback, source: 'default' } as const);
  const problem = setting.check?.(found.value);
  if (problem) throw new ConfigError(`${name} ${problem}${secret ? '' : `, but is "${found.value}"`}.`);
  return { name, secret, ...found };
}

/** `SIGNALBOX_DATABASE_URL` is `--database-url` on the command line. */
export function flagOf(name: string): string {
  return name.replace('SIGNALBOX_', '').toLowerCase().replaceAll('_', '-');
}

export function readConfig(flags: Readonly<Record<string, string>>, environment: Environment): Config {
  const values = resolveSettings(flags, environment);
  const text = (key: SettingKey) => values[key].value;
  const home = resolve(text('home'));
  const apiAuth = text('apiAuth') || (text('apiAuthString') ? 'basic' : 'open');
  if (apiAuth === 'basic' && !text('apiAuthString').includes(':')) {
    throw new ConfigError('The access mode basic needs SIGNALBOX_API_AUTH_STRING in the form user:password.');
  }
  if (apiAuth === 'open' && !isLoopback(text('host')) && text('allowOpenAccess') !== 'true') {
    throw new ConfigError(
      `Anyone who reaches ${text('host')} could use the API. Set SIGNALBOX_API_AUTH_STRING=user:password, or SIGNALBOX_ALLOW_OPEN_ACCESS=true if that is meant.`,
    );
  }
  return {
    host: text('host'),
    port: Number(text('port')),
    publicUrl: text('publicUrl'),
    home,
    databaseUrl: text('databaseUrl') || `sqlite:${join(home, 'signalbox.db')}`,
    encryptionKey: text('encryptionKey'),
    apiAuth: apiAuth as Config['apiAuth'],
    apiAuthString: text('apiAuthString'),
    oidc: oidcOf(text),
    services: servicesOf(text('services')),
    logLevel: logLevelOf(text('logLevel')),
    maxBodyBytes: Number(text('maxBodyBytes')),
    apiMaxLimit: Number(text('apiMaxLimit')),
    maxParameterBytes: Number(text('maxParameterBytes')),
    schedulerMinRuns: Number(text('schedulerMinRuns')),
    schedulerMaxRuns: Number(text('schedulerMaxRuns')),
    schedulerMinSeconds: Number(text('schedulerMinSeconds')),
    schedulerMaxSeconds: Number(text('schedulerMaxSeconds')),
    lateAfterSeconds: Number(text('lateAfterSeconds')),
    heartbeatSeconds: Number(text('heartbeatSeconds')),
    retention: retentionOf(text('retention')),
    eventRetentionSeconds: Number(text('eventRetentionSeconds')),
    runRetentionSeconds: Number(text('runRetentionSeconds')),
    mcpRequestRetentionSeconds: Number(text('mcpRequestRetentionSeconds')),
    allowPrivateTargets: text('allowPrivateTargets') === 'true',
    mcpAllowedOrigins: listed(text('mcpAllowedOrigins')).filter((origin) => origin !== ''),
    hosting: text('hosting') as Config['hosting'],
    drainSeconds: Number(text('drainSeconds')),
  };
}

function oidcOf(text: (key: SettingKey) => string): OidcConfig | undefined {
  const issuer = text('oidcIssuer');
  if (issuer === '') return undefined;
  const clientId = text('oidcClientId');
  if (clientId === '') throw new ConfigError('SIGNALBOX_OIDC_ISSUER needs SIGNALBOX_OIDC_CLIENT_ID beside it.');
  return {
    issuer,
    clientId,
    clientSecret: text('oidcClientSecret'),
    label: text('oidcLabel'),
    scopes: text('oidcScopes'),
    emailDomains: listed(text('oidcEmailDomains').toLowerCase()).filter((domain) => domain !== ''),
    newUsers: text('oidcNewUsers') as OidcConfig['newUsers'],
  };
}

function servicesOf(value: string): ReadonlySet<ServiceName> {
  const named = value.split(',').map((name) => name.trim());
  if (named.includes('none')) return new Set();
  return new Set(SERVICE_NAMES.filter((name) => named.includes('all') || named.includes(name)));
}

/** The reference's setting also takes true for everything and false for its default. */
function retentionOf(value: string): ReadonlySet<RetentionKind> {
  const named = listed(value);
  if (named.includes('true')) return new Set(RETENTION_KINDS);
  if (named.includes('false')) return new Set(['events']);
  return new Set(RETENTION_KINDS.filter((kind) => named.includes(kind)));
}

function listed(value: string): string[] {
  return value.split(',').map((name) => name.trim());
}

/** True for a name or address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

/** Python's names for levels, as the reference's setting has them, in the words of the logger. */
function logLevelOf(value: string): string {
  const level = value.toLowerCase();
  return { warning: 'warn', critical: 'fatal' }[level] ?? level;
}
