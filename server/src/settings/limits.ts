/** How much a request may bring and an answer may hold. */
import { type Setting, wholeNumber } from './setting.ts';

export const limitSettings = {
  maxBodyBytes: {
    name: 'SIGNALBOX_MAX_BODY_BYTES',
    fallback: '16777216',
    description: 'Larger request bodies are refused with 413.',
    check: wholeNumber(1024, 1_073_741_824),
  },
  maxReceivingBytes: {
    name: 'SIGNALBOX_MAX_RECEIVING_BYTES',
    fallback: '536870912',
    description: 'Request bodies that may be on their way at once, in all; more are answered 503.',
    check: wholeNumber(1024, 1_099_511_627_776),
  },
  bodyTimeoutSeconds: {
    name: 'SIGNALBOX_BODY_TIMEOUT_SECONDS',
    fallback: '60',
    description: 'Time for a request body, and a second more for each 16 kB of it; slower ones are answered 408.',
    check: wholeNumber(1, 86_400),
  },
  apiMaxLimit: {
    name: 'SIGNALBOX_API_DEFAULT_LIMIT',
    alias: 'PREFECT_SERVER_API_DEFAULT_LIMIT',
    fallback: '200',
    description: 'Default and largest number of rows that a list answers.',
    check: wholeNumber(1, 10_000),
  },
  maxRequests: {
    name: 'SIGNALBOX_MAX_REQUESTS',
    fallback: '1000',
    description: 'Requests to the APIs and pages that are worked on at once; more are answered 503 with Retry-After.',
    check: wholeNumber(1, 1_000_000),
  },
  maxConnections: {
    name: 'SIGNALBOX_MAX_CONNECTIONS',
    fallback: '16384',
    description: 'Connections that may be open; more are closed as they come.',
    check: wholeNumber(1, 1_000_000),
  },
  maxConnectionsOfClient: {
    name: 'SIGNALBOX_MAX_CONNECTIONS_PER_CLIENT',
    fallback: '4096',
    description:
      'Connections of one address, or of one IPv6 network of 64 bits, that may be open; trusted proxies have no such limit.',
    check: wholeNumber(1, 1_000_000),
  },
  maxWaitingSockets: {
    name: 'SIGNALBOX_MAX_UNAUTHENTICATED_SOCKETS',
    fallback: '2000',
    description: 'Websockets that may be open before they have said who they are; more are answered 503.',
    check: wholeNumber(1, 1_000_000),
  },
  maxWaitingSocketsOfClient: {
    name: 'SIGNALBOX_MAX_UNAUTHENTICATED_SOCKETS_PER_CLIENT',
    fallback: '500',
    description: 'The same of one address, or of one IPv6 network of 64 bits, as a trusted proxy tells it.',
    check: wholeNumber(1, 1_000_000),
  },
  maxSocketsOfWorkspace: {
    name: 'SIGNALBOX_MAX_SOCKETS_PER_WORKSPACE',
    fallback: '10000',
    description: 'Websockets of one workspace that may be open in this process; more are closed with 1013.',
    check: wholeNumber(1, 1_000_000),
  },
  maxParameterBytes: {
    name: 'SIGNALBOX_MAX_PARAMETER_BYTES',
    alias: 'PREFECT_SERVER_API_MAX_PARAMETER_SIZE',
    fallback: '524288',
    description: 'Largest JSON size of the parameters of a flow run; 0 means no limit.',
    check: wholeNumber(0, 1_073_741_824),
  },
} as const satisfies Record<string, Setting>;
