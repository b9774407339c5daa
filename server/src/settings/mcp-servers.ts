/** The targets and origins that MCP servers may have, and how hosted ones run. */
import { problemOfNetworks } from '../network/networks.ts';
import { listed, oneOf, type Setting } from './setting.ts';

export const mcpServerSettings = {
  allowPrivateTargets: {
    name: 'SIGNALBOX_ALLOW_PRIVATE_TARGETS',
    fallback: '',
    description:
      'Whether webhooks, notifications, repositories and external MCP servers may use addresses of this machine and of private networks: true or false. Empty: true until the first account exists. Cloud metadata and the addresses that this server itself uses are always refused.',
    check: (value) => (value === '' ? undefined : oneOf('true', 'false')(value)),
  },
  allowedPrivateNetworks: {
    name: 'SIGNALBOX_ALLOWED_PRIVATE_NETWORKS',
    fallback: '',
    description:
      'Private networks that these targets may use in any case: addresses and CIDR blocks, separated by commas, for example 10.1.0.0/16.',
    check: problemOfNetworks,
  },
  serversUrl: {
    name: 'SIGNALBOX_SERVERS_URL',
    fallback: '',
    description:
      'Base URL of a separate origin for MCP servers, with another host name than SIGNALBOX_PUBLIC_URL. That origin serves nothing else. Empty: MCP servers share the origin of the platform.',
    check: (value) =>
      value === '' || /^https?:\/\/[^/?#@]+$/.test(value) ? undefined : 'must be like https://mcp.example',
  },
  mcpAllowedOrigins: {
    name: 'SIGNALBOX_MCP_ALLOWED_ORIGINS',
    fallback: '',
    description:
      'Origins of web pages, separated by commas, that may call MCP servers from a browser. The origin of this server always may.',
    check: (value) =>
      listed(value).every((origin) => origin === '' || URL.parse(origin)?.origin === origin)
        ? undefined
        : 'must be origins like https://inspector.example',
  },
  hosting: {
    name: 'SIGNALBOX_HOSTING',
    fallback: 'auto',
    description:
      'How hosted MCP servers run: sandbox (in bubblewrap), process (with the rights of this server; not as root), off (not at all), or auto (sandbox if bubblewrap works here, otherwise off).',
    check: oneOf('auto', 'sandbox', 'process', 'off'),
  },
  hostingNetwork: {
    name: 'SIGNALBOX_HOSTING_NETWORK',
    fallback: 'auto',
    description:
      'The network of programs in the sandbox: own (no port that others reach, and only HTTP proxying to the outside), machine (the network of the machine), or auto (own where that works, else machine).',
    check: oneOf('auto', 'own', 'machine'),
  },
} as const satisfies Record<string, Setting>;
