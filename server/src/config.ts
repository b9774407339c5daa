/**
 * What the server is told. Every setting stands once in `settings/`, with its name, default, unit and one sentence. Flags
 * win over the environment, which wins over defaults. Names of the reference server that users already have
 * (`PREFECT_SERVER_*`) are accepted where they mean the same.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { accessSettings } from './settings/access.ts';
import { limitSettings } from './settings/limits.ts';
import { mcpServerSettings } from './settings/mcp-servers.ts';
import { serverSettings } from './settings/server.ts';
import {
  RETENTION_KINDS,
  type RetentionKind,
  SERVICE_NAMES,
  type ServiceName,
  serviceSettings,
} from './settings/services.ts';
import { listed, type Setting } from './settings/setting.ts';

/** In the order that the README and `signalbox config` list them in. */
export const settings = {
  ...serverSettings,
  ...accessSettings,
  ...limitSettings,
  ...serviceSettings,
  ...mcpServerSettings,
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

/** True for a name or address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

/** Python's names for levels, as the reference's setting has them, in the words of the logger. */
function logLevelOf(value: string): string {
  const level = value.toLowerCase();
  return { warning: 'warn', critical: 'fatal' }[level] ?? level;
}
