/** Settings of the server: where it listens, what it keeps and how it stops. */
import { isIPv6 } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isBasePath } from '../network/base-path.ts';
import { problemOfNetworks } from '../network/networks.ts';
import { TrustedProxies } from '../network/trusted-proxies.ts';
import { absoluteDatabaseUrl, databaseUrlOf, databaseUrlProblem } from './database-url.ts';
import { asText, choice, namesIn, oneOf, originOrEmpty, type Setting, wholeNumber } from './setting.ts';

/** Accepts Python's names besides our own, like the reference's setting. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'warning', 'error', 'critical', 'silent'];

const MOST_PROCESSES = 64;

export const serverSettings = {
  host: {
    name: 'SIGNALBOX_HOST',
    alias: 'PREFECT_SERVER_API_HOST',
    fallback: '127.0.0.1',
    description: 'Address to listen on.',
    check: hostProblem,
    read: asText,
  },
  port: {
    name: 'SIGNALBOX_PORT',
    alias: 'PREFECT_SERVER_API_PORT',
    fallback: '4200',
    description: 'Port to listen on. 0 takes a free one.',
    chosenAtStart: '0',
    ...wholeNumber(0, 65_535),
  },
  processes: {
    name: 'SIGNALBOX_PROCESSES',
    fallback: '1',
    description:
      'Processes that serve requests on this machine, behind one port: a number, or auto (by processors and memory). More than one needs PostgreSQL; on SQLite, auto is one.',
    check: (value) =>
      value === 'auto' || wholeNumber(1, MOST_PROCESSES).check(value) === undefined
        ? undefined
        : `must be auto or a whole number from 1 to ${MOST_PROCESSES}`,
    read: (value): number | 'auto' => (value === 'auto' ? value : Number(value)),
  },
  publicUrl: {
    name: 'SIGNALBOX_PUBLIC_URL',
    fallback: '',
    description:
      'Scheme and host of this server in links, such as https://signalbox.example; SIGNALBOX_BASE_PATH has the path. Empty: the address of each request.',
    check: originOrEmpty('SIGNALBOX_PUBLIC_URL', 'https://signalbox.example', 'SIGNALBOX_BASE_PATH'),
    read: asText,
  },
  basePath: {
    name: 'SIGNALBOX_BASE_PATH',
    fallback: '',
    description:
      'Path below which people reach this server, such as /signalbox, whether or not the proxy removes it. It moves the API, sockets, pages, documentation, cookies and addresses of MCP servers. Requests without it are answered too.',
    check: (value) =>
      value === '' || isBasePath(value) ? undefined : 'must be like /signalbox, without a slash at its end',
    read: asText,
  },
  trustedProxies: {
    name: 'SIGNALBOX_TRUSTED_PROXIES',
    fallback: '',
    description:
      'Proxies whose X-Forwarded-For, -Proto, -Host and -Prefix headers the server trusts: addresses and CIDR blocks, separated by commas. Empty: none, not even proxies on this machine.',
    separator: ',',
    check: problemOfNetworks,
    read: (value) => new TrustedProxies(namesIn(value)),
  },
  peerPort: {
    name: 'SIGNALBOX_PEER_PORT',
    fallback: '',
    description:
      'Port on which the other servers of the same PostgreSQL database reach this one: needed if they are on several machines. 0 takes a free one. Empty: a socket in the home folder, which servers of this user on this machine reach.',
    chosenAtStart: '0',
    check: (value) => (value === '' ? undefined : wholeNumber(0, 65_535).check(value)),
    read: (value) => (value === '' ? undefined : Number(value)),
  },
  peerHost: {
    name: 'SIGNALBOX_PEER_HOST',
    fallback: '',
    description:
      'Address of this machine at which the other servers reach it, with SIGNALBOX_PEER_PORT. Empty: its first address that other machines reach.',
    check: (value) => (value === '' ? undefined : hostProblem(value)),
    read: asText,
  },
  home: {
    name: 'SIGNALBOX_HOME',
    fallback: homeOfUser(),
    description: 'Folder for the SQLite database, the encryption key and the other files of the server.',
    notInFile: 'the settings file is searched in that folder',
    absolute: (value, folder) => resolve(folder, value),
    check: (value) => (value === '' ? 'must name a folder' : undefined),
  },
  config: {
    name: 'SIGNALBOX_CONFIG',
    fallback: '',
    description: 'Settings file to read. Empty: signalbox.toml in the home folder, if it exists.',
    notInFile: 'a settings file cannot name another',
    absolute: (value, folder) => (value === '' ? '' : resolve(folder, value)),
  },
  databaseUrl: {
    name: 'SIGNALBOX_DATABASE_URL',
    alias: 'PREFECT_SERVER_DATABASE_CONNECTION_URL',
    formerAlias: 'PREFECT_API_DATABASE_CONNECTION_URL',
    fallback: '',
    description: 'sqlite:<file> or postgres://… (also postgresql+asyncpg://…). Empty: signalbox.db in the home folder.',
    secret: true,
    isAddress: true,
    absolute: absoluteDatabaseUrl,
    check: databaseUrlProblem,
  },
  databaseListenUrl: {
    name: 'SIGNALBOX_DATABASE_LISTEN_URL',
    fallback: '',
    description:
      'Address of the same PostgreSQL database past a pooler that lends connections for a transaction, such as PgBouncer: notifications of other servers arrive over it. Empty: SIGNALBOX_DATABASE_URL, and if no notification arrives, this server looks every quarter of a second.',
    secret: true,
    isAddress: true,
    check: (value) =>
      value === '' || databaseUrlOf(value).startsWith('postgres')
        ? undefined
        : 'must be like postgres://user@host/database',
    read: databaseUrlOf,
  },
  encryptionKey: {
    name: 'SIGNALBOX_ENCRYPTION_KEY',
    alias: 'PREFECT_SERVER_ENCRYPTION_KEY',
    fallback: '',
    description:
      'Key that encrypts stored secrets: 32 bytes in base64. Empty: the file encryption.key in the home folder. With several keys, separated by commas, the first encrypts and all decrypt.',
    secret: true,
    separator: ',',
    check: (value) =>
      value === '' || value.split(',').every((key) => /^\s*[A-Za-z0-9+/_-]{43}=?\s*$/.test(key))
        ? undefined
        : 'must be 32 bytes in base64 (44 characters), or several such keys separated by commas',
    read: asText,
  },
  logLevel: {
    name: 'SIGNALBOX_LOG_LEVEL',
    alias: 'PREFECT_LOGGING_SERVER_LEVEL',
    fallback: 'info',
    description: 'Lowest level that the server logs: trace, debug, info, warn, error or silent.',
    check: (value) => (LOG_LEVELS.includes(value.toLowerCase()) ? undefined : oneOf(...LOG_LEVELS)(value)),
    read: levelOf,
  },
  logFormat: {
    name: 'SIGNALBOX_LOG_FORMAT',
    fallback: 'auto',
    description:
      'Form of the log: json (a line of JSON for each event), text (lines for people), or auto (text on a terminal, json elsewhere).',
    ...choice('auto', 'json', 'text'),
  },
  metricsPort: {
    name: 'SIGNALBOX_METRICS_PORT',
    fallback: '',
    description:
      'Port for metrics in the format of Prometheus, at /metrics, without a credential. 0 takes a free one. Empty: no metrics.',
    chosenAtStart: '0',
    check: (value) => (value === '' ? undefined : wholeNumber(0, 65_535).check(value)),
    read: (value) => (value === '' ? undefined : Number(value)),
  },
  metricsHost: {
    name: 'SIGNALBOX_METRICS_HOST',
    fallback: '127.0.0.1',
    description: 'Address to listen on for metrics. Anyone who reaches it can read them.',
    check: hostProblem,
    read: asText,
  },
  drainDelaySeconds: {
    name: 'SIGNALBOX_DRAIN_DELAY_SECONDS',
    fallback: '0',
    description:
      'Seconds after SIGTERM for which the server continues as before, except that /api/ready answers 503, so that load balancers send requests elsewhere.',
    ...wholeNumber(0, 3600),
  },
  drainSeconds: {
    name: 'SIGNALBOX_DRAIN_SECONDS',
    fallback: '10',
    description: 'Seconds for open requests to finish after the server stops accepting new ones.',
    ...wholeNumber(0, 3600),
  },
} as const satisfies Record<string, Setting>;

/** Empty for a user of a container who has no home and no entry in the list of users. */
function homeOfUser(): string {
  try {
    return join(homedir(), '.signalbox');
  } catch {
    return '';
  }
}

function hostProblem(value: string): string | undefined {
  return /^[^\s/:@]+$/.test(value) || isIPv6(value)
    ? undefined
    : 'must be an address or a name without scheme and port, like 127.0.0.1, 0.0.0.0 or ::';
}

/** The level in the words of the logger. The reference's setting uses Python's names. */
function levelOf(value: string): string {
  const level = value.toLowerCase();
  return { warning: 'warn', critical: 'fatal' }[level] ?? level;
}
