/** What the gateway reaches and runs, and from where it is used. */
import { problemOfNetworks } from '../network/networks.ts';
import { listed, oneOf, type Setting } from './setting.ts';

export const mcpServerSettings = {
  allowPrivateTargets: {
    name: 'SIGNALBOX_ALLOW_PRIVATE_TARGETS',
    fallback: '',
    description:
      'true lets webhooks, notifications, repositories and external MCP servers reach this machine and private networks; false keeps them off; empty allows it until the first account exists. Cloud metadata and the places of this server itself are always refused.',
    check: (value) => (value === '' ? undefined : oneOf('true', 'false')(value)),
  },
  allowedPrivateNetworks: {
    name: 'SIGNALBOX_ALLOWED_PRIVATE_NETWORKS',
    fallback: '',
    description:
      'Private networks that they may reach in any case: addresses or CIDR blocks, separated by commas, for example 10.1.0.0/16.',
    check: problemOfNetworks,
  },
  serversUrl: {
    name: 'SIGNALBOX_SERVERS_URL',
    fallback: '',
    description:
      'Address of an origin of their own for MCP servers, with another host name than SIGNALBOX_PUBLIC_URL: serving URLs are below it, and nothing else is; empty means that they share the address of the platform.',
    check: (value) =>
      value === '' || /^https?:\/\/[^/?#@]+$/.test(value) ? undefined : 'must be like https://mcp.example',
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
    fallback: 'auto',
    description:
      'Whether editors of MCP servers run their programs here: sandbox (in bubblewrap), process (with the rights of this server), off, or auto (sandbox where bubblewrap works, else off).',
    check: oneOf('auto', 'sandbox', 'process', 'off'),
  },
} as const satisfies Record<string, Setting>;
