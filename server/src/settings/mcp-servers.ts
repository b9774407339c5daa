/** What the gateway reaches and runs, and from where it is used. */
import { listed, oneOf, type Setting } from './setting.ts';

export const mcpServerSettings = {
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
    fallback: 'auto',
    description:
      'Whether editors of MCP servers run their programs here: sandbox (in bubblewrap), process (with the rights of this server), off, or auto (sandbox where bubblewrap works, else off).',
    check: oneOf('auto', 'sandbox', 'process', 'off'),
  },
} as const satisfies Record<string, Setting>;
