/** Settings of MCP servers: their allowed targets and origins, and the limits of hosted ones. */
import { BlockList } from 'node:net';
import { networksOf, problemOfNetworks } from '../network/networks.ts';
import { asText, choice, listed, namesIn, oneOf, originOrEmpty, type Setting, wholeNumber } from './setting.ts';

export const mcpServerSettings = {
  allowPrivateTargets: {
    name: 'SIGNALBOX_ALLOW_PRIVATE_TARGETS',
    fallback: '',
    description:
      'Whether webhooks, notifications, repositories and external MCP servers may use addresses of this machine and of private networks: true or false. Empty: true until the first account exists. Cloud metadata and the addresses that this server itself uses are always refused.',
    check: (value) => (value === '' ? undefined : oneOf('true', 'false')(value)),
    read: (value) => (value === '' ? undefined : value === 'true'),
  },
  allowedPrivateNetworks: {
    name: 'SIGNALBOX_ALLOWED_PRIVATE_NETWORKS',
    fallback: '',
    separator: ',',
    description:
      'Private networks that these targets may use in any case: addresses and CIDR blocks, separated by commas, for example 10.1.0.0/16.',
    check: problemOfNetworks,
    read: (value) => networksOf(value) ?? new BlockList(),
  },
  serversUrl: {
    name: 'SIGNALBOX_SERVERS_URL',
    fallback: '',
    description:
      'Base URL of a separate origin for MCP servers, with another host name than SIGNALBOX_PUBLIC_URL. That origin serves nothing else. Empty: MCP servers share the origin of the platform.',
    check: originOrEmpty('SIGNALBOX_SERVERS_URL', 'https://mcp.example'),
    read: asText,
  },
  mcpAllowedOrigins: {
    name: 'SIGNALBOX_MCP_ALLOWED_ORIGINS',
    fallback: '',
    separator: ',',
    description:
      'Origins of web pages, separated by commas, that may call MCP servers from a browser. The origin of this server always may.',
    check: (value) =>
      listed(value).every((origin) => origin === '' || URL.parse(origin)?.origin === origin)
        ? undefined
        : 'must be origins like https://inspector.example',
    read: namesIn,
  },
  hosting: {
    name: 'SIGNALBOX_HOSTING',
    fallback: 'auto',
    description:
      'How hosted MCP servers run: sandbox (in bubblewrap), process (with the rights of this server; not as root), off (not at all), or auto (sandbox if bubblewrap works here, otherwise off).',
    ...choice('auto', 'sandbox', 'process', 'off'),
  },
  hostingNetwork: {
    name: 'SIGNALBOX_HOSTING_NETWORK',
    fallback: 'auto',
    description:
      'The network of programs in the sandbox: own (ports that others cannot reach, and outgoing connections only through an HTTP proxy), machine (the network of the machine), or auto (own if that works, else machine).',
    ...choice('auto', 'own', 'machine'),
  },
  hostingLimits: {
    name: 'SIGNALBOX_HOSTING_LIMITS',
    fallback: 'auto',
    description:
      'How the memory and processes of programs are limited: auto (by control groups of the kernel if this server may use them, else watched), or watched (measured several times a second).',
    ...choice('auto', 'watched'),
  },
  hostingMaxMemory: {
    name: 'SIGNALBOX_HOSTING_MAX_MEMORY_MB',
    fallback: '4096',
    description: 'Maximum memory of a process of a hosted server, and memory of each step of a build, in MB.',
    check: wholeNumber(64, 65_536).check,
  },
  hostingMaxDisk: {
    name: 'SIGNALBOX_HOSTING_MAX_DISK_MB',
    fallback: '8192',
    description: 'Maximum disk space of a process of a hosted server, and disk space of a build, in MB.',
    check: wholeNumber(16, 65_536).check,
  },
  hostingMaxFiles: {
    name: 'SIGNALBOX_HOSTING_MAX_FILES',
    fallback: '200000',
    description: 'Maximum number of files, folders and links of a process of a hosted server, or of a build.',
    check: wholeNumber(1000, 100_000_000).check,
  },
  hostingMaxProcesses: {
    name: 'SIGNALBOX_HOSTING_MAX_PROCESSES',
    fallback: '100',
    description:
      'Maximum number of processes of a hosted server with the transport stdio. Each of its sessions has one.',
    check: wholeNumber(1, 200).check,
  },
  hostingBuilds: {
    name: 'SIGNALBOX_HOSTING_BUILDS',
    fallback: '2',
    description:
      'Builds of hosted servers at the same time. The organization with the fewest running builds is served first.',
    check: wholeNumber(1, 64).check,
  },
  hostingBuildSeconds: {
    name: 'SIGNALBOX_HOSTING_BUILD_SECONDS',
    fallback: '900',
    description: 'Seconds after which a build is stopped.',
    check: wholeNumber(10, 86_400).check,
  },
  hostingQueuedBuilds: {
    name: 'SIGNALBOX_HOSTING_QUEUED_BUILDS',
    fallback: '20',
    description: 'Builds of one organization that may wait at the same time.',
    check: wholeNumber(1, 10_000).check,
  },
} as const satisfies Record<string, Setting>;
