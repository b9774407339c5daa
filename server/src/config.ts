/**
 * The server's configuration. `settings/` declares each setting once, with its name, default, unit and one sentence;
 * `settings/sources/` reads them. Flags win over the environment, that over the settings file, and that over defaults.
 * Settings of the Prefect server (`PREFECT_SERVER_*`) are accepted where they mean the same.
 */
import { join, resolve } from 'node:path';
import { ConfigError } from './errors.ts';
import { isLoopback } from './network/networks.ts';
import { hostNameOf } from './network/servers-origin.ts';
import { type ReadSettings, type SettingKey, settings } from './settings/all.ts';
import { databaseUrlOf } from './settings/database-url.ts';
import { type Sender, type SmtpServer, senderOf, smtpServerOf } from './settings/mail.ts';
import { isServiceLink } from './settings/service-links.ts';
import { groupRoleParts, listed, namesIn, type Setting } from './settings/setting.ts';
import type { SettingsFile } from './settings/sources/file.ts';
import {
  contentOf,
  type Environment,
  resolveSettings,
  type SettingFlags,
  type Sources,
} from './settings/sources/resolve.ts';
import type { Resolved } from './settings/sources/resolved.ts';

interface GroupRole {
  readonly group: string;
  /** Slug. */
  readonly organization: string;
  readonly role: 'admin' | 'member';
}

export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecret: string;
  readonly label: string;
  readonly scopes: string;
  /** Domains in lower case; empty means all. */
  readonly emailDomains: readonly string[];
  /** The claim that lists a person's groups. */
  readonly groupsClaim: string;
  /** The roles that groups give. At a sign-in, an organization that is named here takes roles from nowhere else. */
  readonly groupRoles: readonly GroupRole[];
  readonly newUsers: 'invited' | 'members';
}

/** Settings for sending mail. */
export interface MailConfig {
  readonly server: SmtpServer;
  readonly from: Sender;
  /** Certificates of authorities (PEM); undefined for the public ones. */
  readonly ca: string | undefined;
  /** Mails per hour that one organization may cause. */
  readonly perHour: number;
}

/** Ceilings that an operator sets for the programs and builds of hosted servers. */
export interface HostingCeilings {
  readonly memoryMegabytes: number;
  readonly diskMegabytes: number;
  /** Processes of one server at the same time, with `stdio`. */
  readonly maxProcesses: number;
  /** Files, folders and links of one process or build. */
  readonly files: number;
  /** Builds at the same time on this machine. */
  readonly builds: number;
  readonly buildSeconds: number;
  /** Waiting builds of one organization. */
  readonly queuedBuilds: number;
}

/** The settings by their keys, and values that are computed from several of them. */
export interface Config extends ReadSettings {
  /** Environment variables that look like settings but come from Kubernetes. */
  readonly serviceLinks: readonly string[];
  /** The settings file that was read. */
  readonly settingsFile: Pick<SettingsFile, 'path' | 'exposure'> | undefined;
  readonly home: string;
  readonly databaseUrl: string;
  /** True if the running server has keys that this command does not get from it. */
  readonly keyIsWithheld: boolean;
  readonly apiAuth: 'open' | 'basic' | 'key';
  /** Undefined if people sign in only with passwords. */
  readonly oidc: OidcConfig | undefined;
  /** Undefined if the server sends no mail. */
  readonly mail: MailConfig | undefined;
  readonly hostingCeilings: HostingCeilings;
  /** The reason why hosting is on or off, as a part of a sentence; empty until the program has started. */
  readonly hostingReason: string;
  /** True if the environment names a collector of traces. */
  readonly tracing: boolean;
  /** True if metrics are sent to a collector. */
  readonly metricsSending: boolean;
}

/**
 * The configuration from flags and the environment, without a settings file. `configFrom` takes the values of all
 * sources.
 */
export function readConfig(flags: SettingFlags, environment: Environment): Config {
  return configFrom(resolveSettings({ flags, environment }), { environment });
}

/** Throws ConfigError when settings contradict each other. */
export function configFrom(values: Resolved, { environment, file }: Pick<Sources, 'environment' | 'file'>): Config {
  const text = (key: SettingKey) => values[key].value;
  const isGiven = (key: SettingKey) => text(key) !== '' || values[key].isWithheld === true;
  const home = resolve(text('home'));
  const apiAuth = text('apiAuth') || (isGiven('apiAuthString') ? 'basic' : 'open');
  if (apiAuth !== 'basic' && isGiven('apiAuthString')) {
    throw new ConfigError(
      `SIGNALBOX_API_AUTH=${apiAuth} does not use an auth string. Unset SIGNALBOX_API_AUTH_STRING (or PREFECT_SERVER_API_AUTH_STRING), or set SIGNALBOX_API_AUTH=basic.`,
    );
  }
  if (apiAuth === 'basic' && !values.apiAuthString.isWithheld && !text('apiAuthString').includes(':')) {
    throw new ConfigError('SIGNALBOX_API_AUTH=basic needs SIGNALBOX_API_AUTH_STRING=user:password.');
  }
  if (apiAuth === 'open' && !isLoopback(text('host')) && text('allowOpenAccess') !== 'true') {
    throw new ConfigError(
      `Anyone who reaches ${text('host')} could use the API. Set SIGNALBOX_API_AUTH_STRING=user:password, or SIGNALBOX_ALLOW_OPEN_ACCESS=true to allow that.`,
    );
  }
  if (text('serversUrl') !== '' && hostNameOf(text('serversUrl')) === hostNameOf(text('publicUrl'))) {
    throw new ConfigError(
      'SIGNALBOX_SERVERS_URL needs another host name than SIGNALBOX_PUBLIC_URL: browsers send cookies to every port of a name.',
    );
  }
  const links = Object.entries(environment).filter(([name, value]) => isServiceLink(name, value));
  return {
    ...readSettings(text),
    serviceLinks: links.map(([name]) => name),
    settingsFile: file && { path: file.path, exposure: file.exposure },
    home,
    databaseUrl: databaseUrlOf(text('databaseUrl')) || `sqlite:${join(home, 'signalbox.db')}`,
    keyIsWithheld: values.encryptionKey.isWithheld === true,
    apiAuth: apiAuth as Config['apiAuth'],
    oidc: oidcOf(text),
    mail: mailOf(text),
    hostingReason: '',
    hostingCeilings: {
      memoryMegabytes: Number(text('hostingMaxMemory')),
      diskMegabytes: Number(text('hostingMaxDisk')),
      maxProcesses: Number(text('hostingMaxProcesses')),
      files: Number(text('hostingMaxFiles')),
      builds: Number(text('hostingBuilds')),
      buildSeconds: Number(text('hostingBuildSeconds')),
      queuedBuilds: Number(text('hostingQueuedBuilds')),
    },
    tracing: asksFor('TRACES', environment),
    metricsSending: asksFor('METRICS', environment),
  };
}

function readSettings(text: (key: SettingKey) => string): ReadSettings {
  const read = Object.entries<Setting>(settings).flatMap(([key, { read }]) =>
    read ? [[key, read(text(key as SettingKey))]] : [],
  );
  return Object.fromEntries(read) as ReadSettings;
}

function oidcOf(text: (key: SettingKey) => string): OidcConfig | undefined {
  const issuer = text('oidcIssuer');
  if (issuer === '') return undefined;
  const clientId = text('oidcClientId');
  if (clientId === '') throw new ConfigError('SIGNALBOX_OIDC_ISSUER needs SIGNALBOX_OIDC_CLIENT_ID.');
  return {
    issuer,
    clientId,
    clientSecret: text('oidcClientSecret'),
    label: text('oidcLabel'),
    scopes: text('oidcScopes'),
    emailDomains: namesIn(text('oidcEmailDomains').toLowerCase()),
    groupsClaim: text('oidcGroupsClaim'),
    groupRoles: groupRolesOf(text('oidcGroupRoles')),
    newUsers: text('oidcNewUsers') as OidcConfig['newUsers'],
  };
}

/** The URL and the sender are already validated. */
function mailOf(text: (key: SettingKey) => string): MailConfig | undefined {
  const server = smtpServerOf(text('smtpUrl'));
  if (!server) return undefined;
  const from = senderOf(text('smtpFrom'));
  if (!from) throw new ConfigError('SIGNALBOX_SMTP_URL needs SIGNALBOX_SMTP_FROM, the sender of the mails.');
  if (text('publicUrl') === '') {
    // The Host header of a request, which anyone can write, must not decide where a link in a mail leads.
    throw new ConfigError('SIGNALBOX_SMTP_URL needs SIGNALBOX_PUBLIC_URL: links in mails lead there.');
  }
  const ca = text('smtpCa') === '' ? undefined : contentOf('SIGNALBOX_SMTP_CA', text('smtpCa'));
  return { server, from, ca, perHour: Number(text('mailsPerHour')) };
}

/** The setting is already validated. Names of groups may contain commas and equals signs, like those in a directory. */
function groupRolesOf(value: string): GroupRole[] {
  return groupRoleParts(value).map(([group = '', organization = '', role]) => ({
    group,
    organization,
    role: role as GroupRole['role'],
  }));
}

/** Reads the variables of OpenTelemetry. Without a collector, nothing is sent. */
function asksFor(signal: 'TRACES' | 'METRICS', environment: Environment): boolean {
  const { OTEL_SDK_DISABLED: disabled, [`OTEL_${signal}_EXPORTER`]: exporter = 'otlp' } = environment;
  const collector =
    environment[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] || environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || '';
  return collector !== '' && disabled?.toLowerCase() !== 'true' && listed(exporter).includes('otlp');
}
