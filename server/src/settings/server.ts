/** Where the server listens, what it keeps and how it ends. */
import { isIPv6 } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { problemOfNetworks } from '../network/networks.ts';
import { databaseUrlProblem } from './database-url.ts';
import { oneOf, type Setting, wholeNumber } from './setting.ts';

export const serverSettings = {
  host: {
    name: 'SIGNALBOX_HOST',
    alias: 'PREFECT_SERVER_API_HOST',
    fallback: '127.0.0.1',
    description: 'Address to listen on.',
    check: (value) =>
      /^[^\s/:@]+$/.test(value) || isIPv6(value)
        ? undefined
        : 'must be an address or a name without scheme and port, like 127.0.0.1, 0.0.0.0 or ::',
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
  trustedProxies: {
    name: 'SIGNALBOX_TRUSTED_PROXIES',
    fallback: '',
    description:
      'Addresses and networks (CIDR), separated by commas, of proxies whose X-Forwarded-For, -Proto, -Host and -Prefix are believed; empty means none, this machine included.',
    check: problemOfNetworks,
  },
  home: {
    name: 'SIGNALBOX_HOME',
    fallback: join(homedir(), '.signalbox'),
    description: 'Folder for the database file and whatever else the server keeps.',
    check: (value) => (value === '' ? 'must name a folder' : undefined),
  },
  databaseUrl: {
    name: 'SIGNALBOX_DATABASE_URL',
    alias: 'PREFECT_SERVER_DATABASE_CONNECTION_URL',
    formerAlias: 'PREFECT_API_DATABASE_CONNECTION_URL',
    fallback: '',
    description:
      'sqlite:<file> or postgres://… (also written postgresql+asyncpg://…); empty means signalbox.db in the home folder.',
    secret: true,
    check: databaseUrlProblem,
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
  logLevel: {
    name: 'SIGNALBOX_LOG_LEVEL',
    alias: 'PREFECT_LOGGING_SERVER_LEVEL',
    fallback: 'info',
    description: 'trace, debug, info, warn, error or silent.',
    check: (value) =>
      oneOf('trace', 'debug', 'info', 'warn', 'warning', 'error', 'critical', 'silent')(value.toLowerCase()),
  },
  drainSeconds: {
    name: 'SIGNALBOX_DRAIN_SECONDS',
    fallback: '10',
    description: 'Seconds that requests under way are given to finish after SIGTERM.',
    check: wholeNumber(0, 3600),
  },
} as const satisfies Record<string, Setting>;
