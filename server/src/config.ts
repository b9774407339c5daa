/**
 * The server's configuration. `settings/` declares each setting once, with its name, default, unit and one sentence;
 * `settings/sources/` reads them. Flags win over the environment, that over the settings file, and that over defaults.
 * Settings of the Prefect server (`PREFECT_SERVER_*`) are accepted where they mean the same.
 */
import { BlockList } from 'node:net';
import { join, resolve } from 'node:path';
import { ConfigError } from './errors.ts';
import { isLoopback, networksOf } from './network/networks.ts';
import { hostNameOf } from './network/servers-origin.ts';
import { TrustedProxies } from './network/trusted-proxies.ts';
import type { SettingKey } from './settings/all.ts';
import { databaseUrlOf } from './settings/database-url.ts';
import { type Sender, type SmtpServer, senderOf, smtpServerOf } from './settings/mail.ts';
import { isServiceLink } from './settings/service-links.ts';
import { RETENTION_KINDS, type RetentionKind, SERVICE_NAMES, type ServiceName } from './settings/services.ts';
import { groupRoleParts, listed } from './settings/setting.ts';
import type { SettingsFile } from './settings/sources/file.ts';
import {
  contentOf,
  type Environment,
  resolveSettings,
  type SettingFlags,
  type Sources,
} from './settings/sources/resolve.ts';
import type { Resolved } from './settings/sources/resolved.ts';
import type { LogFormat } from './watching/logger.ts';

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

export interface Config {
  /** Environment variables that look like settings but come from Kubernetes. */
  readonly serviceLinks: readonly string[];
  /** The settings file that was read. */
  readonly settingsFile: Pick<SettingsFile, 'path' | 'exposure'> | undefined;
  readonly host: string;
  readonly port: number;
  /** `https://signalbox.example`, or empty. */
  readonly publicUrl: string;
  /** `/signalbox`, or empty. */
  readonly basePath: string;
  /** Like `publicUrl`, for MCP servers, where they have an origin of their own. */
  readonly serversUrl: string;
  readonly trustedProxies: TrustedProxies;
  readonly home: string;
  readonly databaseUrl: string;
  /** 0 means no limit, here and in the next setting. */
  readonly databaseTimeoutSeconds: number;
  readonly databaseLockSeconds: number;
  readonly databaseConnections: number;
  /** One key, or several separated by commas. Empty when the keys are in a file in `home`. */
  readonly encryptionKey: string;
  /** True if the running server has keys that this command does not get from it. */
  readonly keyIsWithheld: boolean;
  readonly apiAuth: 'open' | 'basic' | 'key';
  readonly apiAuthString: string;
  /** Callers who may make organizations through the API; see `platform/operators.ts`. */
  readonly organizationCreation: 'operators' | 'everyone' | 'nobody';
  /** Host names in lower case, without ports. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** True if people may sign in MCP clients with the browser. */
  readonly oauth: boolean;
  /** Undefined if people sign in only with passwords. */
  readonly oidc: OidcConfig | undefined;
  /** Undefined if the server sends no mail. */
  readonly mail: MailConfig | undefined;
  /** The background services that run in this process. */
  readonly services: ReadonlySet<ServiceName>;
  readonly logLevel: string;
  readonly logFormat: LogFormat;
  readonly maxBodyBytes: number;
  readonly apiMaxLimit: number;
  readonly maxReceivingBytes: number;
  readonly bodyTimeoutSeconds: number;
  /** Limits for one inbound webhook, and for all webhooks of a workspace. */
  readonly webhookRequestsPerMinute: number;
  readonly workspaceWebhookRequestsPerMinute: number;
  readonly maxRequests: number;
  readonly maxServerRequests: number;
  readonly maxConnections: number;
  readonly maxConnectionsOfClient: number;
  readonly maxWaitingSockets: number;
  readonly maxWaitingSocketsOfClient: number;
  readonly maxSocketsOfWorkspace: number;
  readonly maxSocketsOfCaller: number;
  readonly maxParameterBytes: number;
  readonly schedulerMinRuns: number;
  readonly schedulerMaxRuns: number;
  readonly schedulerMinSeconds: number;
  readonly schedulerMaxSeconds: number;
  readonly lateAfterSeconds: number;
  readonly heartbeatSeconds: number;
  /** Kinds of rows that the retention service deletes. */
  readonly retention: ReadonlySet<RetentionKind>;
  readonly eventRetentionSeconds: number;
  readonly runRetentionSeconds: number;
  readonly mcpRequestRetentionSeconds: number;
  /** True if webhooks and notifications may go to private addresses. Undefined: only until the first account exists. */
  readonly allowPrivateTargets: boolean | undefined;
  readonly allowedPrivateNetworks: BlockList;
  readonly mcpAllowedOrigins: readonly string[];
  /** Decides how programs of users run on this machine; `auto` is decided at the start. */
  readonly hosting: 'auto' | 'sandbox' | 'process' | 'off';
  /** The network of programs in the sandbox; `auto` is decided at the start. */
  readonly hostingNetwork: 'auto' | 'own' | 'machine';
  /** Decides whether the kernel limits programs; `auto` uses it if it can. */
  readonly hostingLimits: 'auto' | 'watched';
  readonly hostingCeilings: HostingCeilings;
  /** True if the environment names a collector of traces. */
  readonly tracing: boolean;
  /** True if metrics are sent to a collector. */
  readonly metricsSending: boolean;
  /** Undefined if metrics are off. */
  readonly metricsPort: number | undefined;
  readonly metricsHost: string;
  readonly drainDelaySeconds: number;
  readonly drainSeconds: number;
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
    serviceLinks: links.map(([name]) => name),
    settingsFile: file && { path: file.path, exposure: file.exposure },
    host: text('host'),
    port: Number(text('port')),
    publicUrl: text('publicUrl'),
    basePath: text('basePath'),
    serversUrl: text('serversUrl'),
    trustedProxies: new TrustedProxies(listed(text('trustedProxies')).filter((network) => network !== '')),
    home,
    databaseUrl: databaseUrlOf(text('databaseUrl')) || `sqlite:${join(home, 'signalbox.db')}`,
    databaseTimeoutSeconds: Number(text('databaseTimeoutSeconds')),
    databaseLockSeconds: Number(text('databaseLockSeconds')),
    databaseConnections: Number(text('databaseConnections')),
    encryptionKey: text('encryptionKey'),
    keyIsWithheld: values.encryptionKey.isWithheld === true,
    apiAuth: apiAuth as Config['apiAuth'],
    apiAuthString: text('apiAuthString'),
    organizationCreation: text('organizationCreation') as Config['organizationCreation'],
    allowedHosts: listed(text('allowedHosts').toLowerCase()).filter((name) => name !== ''),
    allowedOrigins: listed(text('allowedOrigins')).filter((origin) => origin !== ''),
    oauth: text('oauth') === 'on',
    oidc: oidcOf(text),
    mail: mailOf(text),
    services: servicesOf(text('services')),
    logLevel: logLevelOf(text('logLevel')),
    logFormat: text('logFormat') as LogFormat,
    maxBodyBytes: Number(text('maxBodyBytes')),
    apiMaxLimit: Number(text('apiMaxLimit')),
    maxReceivingBytes: Number(text('maxReceivingBytes')),
    bodyTimeoutSeconds: Number(text('bodyTimeoutSeconds')),
    webhookRequestsPerMinute: Number(text('webhookRequestsPerMinute')),
    workspaceWebhookRequestsPerMinute: Number(text('workspaceWebhookRequestsPerMinute')),
    maxRequests: Number(text('maxRequests')),
    maxServerRequests: Number(text('maxServerRequests')),
    maxConnections: Number(text('maxConnections')),
    maxConnectionsOfClient: Number(text('maxConnectionsOfClient')),
    maxWaitingSockets: Number(text('maxWaitingSockets')),
    maxWaitingSocketsOfClient: Number(text('maxWaitingSocketsOfClient')),
    maxSocketsOfWorkspace: Number(text('maxSocketsOfWorkspace')),
    maxSocketsOfCaller: Number(text('maxSocketsOfCaller')),
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
    allowPrivateTargets: text('allowPrivateTargets') === '' ? undefined : text('allowPrivateTargets') === 'true',
    allowedPrivateNetworks: networksOf(text('allowedPrivateNetworks')) ?? new BlockList(),
    mcpAllowedOrigins: listed(text('mcpAllowedOrigins')).filter((origin) => origin !== ''),
    hosting: text('hosting') as Config['hosting'],
    hostingNetwork: text('hostingNetwork') as Config['hostingNetwork'],
    hostingLimits: text('hostingLimits') as Config['hostingLimits'],
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
    metricsPort: text('metricsPort') === '' ? undefined : Number(text('metricsPort')),
    metricsHost: text('metricsHost'),
    drainDelaySeconds: Number(text('drainDelaySeconds')),
    drainSeconds: Number(text('drainSeconds')),
  };
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
    emailDomains: listed(text('oidcEmailDomains').toLowerCase()).filter((domain) => domain !== ''),
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

function servicesOf(value: string): ReadonlySet<ServiceName> {
  const named = value.split(',').map((name) => name.trim());
  if (named.includes('none')) return new Set();
  return new Set(SERVICE_NAMES.filter((name) => named.includes('all') || named.includes(name)));
}

/** Reads the variables of OpenTelemetry. Without a collector, nothing is sent. */
function asksFor(signal: 'TRACES' | 'METRICS', environment: Environment): boolean {
  const { OTEL_SDK_DISABLED: disabled, [`OTEL_${signal}_EXPORTER`]: exporter = 'otlp' } = environment;
  const collector =
    environment[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] || environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || '';
  return collector !== '' && disabled?.toLowerCase() !== 'true' && listed(exporter).includes('otlp');
}

/** Like the reference's setting, takes `true` for everything and `false` for its default. */
function retentionOf(value: string): ReadonlySet<RetentionKind> {
  const named = listed(value);
  if (named.includes('true')) return new Set(RETENTION_KINDS);
  if (named.includes('false')) return new Set(['events']);
  return new Set(RETENTION_KINDS.filter((kind) => named.includes(kind)));
}

/** Converts Python's names of levels, which the reference's setting uses, to those of the logger. */
function logLevelOf(value: string): string {
  const level = value.toLowerCase();
  return { warning: 'warn', critical: 'fatal' }[level] ?? level;
}
