/** Settings that limit requests and answers. */
import { type Setting, wholeNumber } from './setting.ts';

export const limitSettings = {
  maxBodyBytes: {
    name: 'SIGNALBOX_MAX_BODY_BYTES',
    fallback: '16777216',
    description: 'Largest request body in bytes. A larger one gets 413.',
    ...wholeNumber(1024, 1_073_741_824),
  },
  maxReceivingBytes: {
    name: 'SIGNALBOX_MAX_RECEIVING_BYTES',
    fallback: '536870912',
    description:
      'Bytes of request bodies that the server holds at once, for all clients together. One workspace or organization may have a quarter of them. A request beyond that gets 503.',
    ...wholeNumber(1024, 1_099_511_627_776),
  },
  bodyTimeoutSeconds: {
    name: 'SIGNALBOX_BODY_TIMEOUT_SECONDS',
    fallback: '60',
    description:
      'Seconds that a request body may take to arrive, plus one second for each 16 kB. A slower one gets 408.',
    ...wholeNumber(1, 86_400),
  },
  apiMaxLimit: {
    name: 'SIGNALBOX_API_DEFAULT_LIMIT',
    alias: 'PREFECT_SERVER_API_DEFAULT_LIMIT',
    fallback: '200',
    description: 'Default and largest number of rows that a list returns.',
    ...wholeNumber(1, 10_000),
  },
  webhookRequestsPerMinute: {
    name: 'SIGNALBOX_WEBHOOK_REQUESTS_PER_MINUTE',
    fallback: '120',
    description:
      'Requests that one inbound webhook may receive in a minute. One beyond that gets 429 with Retry-After.',
    ...wholeNumber(1, 60_000),
  },
  workspaceWebhookRequestsPerMinute: {
    name: 'SIGNALBOX_WORKSPACE_WEBHOOK_REQUESTS_PER_MINUTE',
    fallback: '600',
    description: 'Requests that all webhooks of one workspace together may receive in a minute.',
    ...wholeNumber(1, 60_000),
  },
  maxRequests: {
    name: 'SIGNALBOX_MAX_REQUESTS',
    fallback: '512',
    description:
      'Requests that the APIs and pages handle at once. One person, service account or, without accounts, address may have seven of eight places, and one workspace or organization 15 of 16. A request beyond that waits; when it has waited for a second, it gets 429, or 503 where no place is left, with Retry-After.',
    ...wholeNumber(1, 1_000_000),
  },
  maxServerRequests: {
    name: 'SIGNALBOX_MAX_SERVER_REQUESTS',
    fallback: '4000',
    description:
      'Requests to MCP servers that wait for their answers at once. One organization may have a quarter of them. A request beyond that gets 503 with Retry-After. A stream counts until it begins.',
    ...wholeNumber(1, 1_000_000),
  },
  maxConnections: {
    name: 'SIGNALBOX_MAX_CONNECTIONS',
    fallback: '16384',
    description: 'Connections that may be open. The server closes one beyond that at once.',
    ...wholeNumber(1, 1_000_000),
  },
  maxConnectionsOfClient: {
    name: 'SIGNALBOX_MAX_CONNECTIONS_PER_CLIENT',
    fallback: '4096',
    description:
      'Connections that one IPv4 address, or one IPv6 /64 network, may have open. Trusted proxies have no such limit.',
    ...wholeNumber(1, 1_000_000),
  },
  maxWaitingSockets: {
    name: 'SIGNALBOX_MAX_UNAUTHENTICATED_SOCKETS',
    fallback: '2000',
    description: 'Websockets that may be open without having authenticated. One beyond that gets 503.',
    ...wholeNumber(1, 1_000_000),
  },
  maxWaitingSocketsOfClient: {
    name: 'SIGNALBOX_MAX_UNAUTHENTICATED_SOCKETS_PER_CLIENT',
    fallback: '500',
    description:
      'Websockets that one IPv4 address or one IPv6 /64 network may have open without having authenticated. Behind a trusted proxy, the address of the client counts.',
    ...wholeNumber(1, 1_000_000),
  },
  maxSocketsOfWorkspace: {
    name: 'SIGNALBOX_MAX_SOCKETS_PER_WORKSPACE',
    fallback: '10000',
    description:
      'Websockets that one workspace may have open in this process. One beyond that is closed with code 1013.',
    ...wholeNumber(1, 1_000_000),
  },
  maxSocketsOfCaller: {
    name: 'SIGNALBOX_MAX_SOCKETS_PER_CALLER',
    fallback: '2500',
    description:
      'Websockets, and as many live streams, that one person or service account may have open in a workspace in this process. Where the access mode has no accounts, the limit is for one IPv4 address or one IPv6 /64 network. A websocket beyond that is closed with code 1013; a stream gets 429.',
    ...wholeNumber(1, 1_000_000),
  },
  maxParameterBytes: {
    name: 'SIGNALBOX_MAX_PARAMETER_BYTES',
    alias: 'PREFECT_SERVER_API_MAX_PARAMETER_SIZE',
    fallback: '524288',
    description: 'Largest size in bytes of the parameters of a flow run, as JSON. 0: no limit.',
    ...wholeNumber(0, 1_073_741_824),
  },
} as const satisfies Record<string, Setting>;
