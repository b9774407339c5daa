/** The settings of a hosted server: its `connection` in the API and in its row. */
import { Enum, Shape, type Static, Type, withDefault } from '../../../schema/kinds.ts';

const HOSTED_TRANSPORTS = ['http', 'stdio'] as const;

const defaults = {
  transport: 'http',
  path: '/mcp',
  idleSeconds: 900,
  memoryMegabytes: 1024,
  diskMegabytes: 1024,
  startSeconds: 60,
  answerSeconds: 170,
  maxProcesses: 20,
} as const;

const fields = {
  /** `http`: the process listens on the given port; `stdio`: it reads and writes lines. */
  transport: Enum('HostedTransport', HOSTED_TRANSPORTS),
  /** The path at which the process serves MCP, with `http`. */
  path: Type.String({ pattern: '^/[A-Za-z0-9._~/-]*$', maxLength: 200 }),
  /** Seconds without a request after which a process ends. */
  idleSeconds: Type.Integer({ minimum: 10, maximum: 86_400 }),
  /** Memory of a process and its descendants. */
  memoryMegabytes: Type.Integer({ minimum: 64, maximum: 65_536 }),
  /**
   * Disk space for the files of a process, including its copy of the source. Only a sandbox has folders that can be
   * measured.
   */
  diskMegabytes: Type.Integer({ minimum: 16, maximum: 65_536 }),
  /** Seconds from the start of a process to its first answer. */
  startSeconds: Type.Integer({ minimum: 1, maximum: 600 }),
  /** Seconds until an answer must begin. */
  answerSeconds: Type.Integer({ minimum: 1, maximum: 3600 }),
  /** Processes at the same time, with `stdio`, where each session has one of its own. */
  maxProcesses: Type.Integer({ minimum: 1, maximum: 200 }),
};

export const HostedConnection = Shape('HostedConnection', {
  transport: withDefault(fields.transport, defaults.transport),
  path: withDefault(fields.path, defaults.path),
  idleSeconds: withDefault(fields.idleSeconds, defaults.idleSeconds),
  memoryMegabytes: withDefault(fields.memoryMegabytes, defaults.memoryMegabytes),
  diskMegabytes: withDefault(fields.diskMegabytes, defaults.diskMegabytes),
  startSeconds: withDefault(fields.startSeconds, defaults.startSeconds),
  answerSeconds: withDefault(fields.answerSeconds, defaults.answerSeconds),
  maxProcesses: withDefault(fields.maxProcesses, defaults.maxProcesses),
});
export type HostedConnection = Static<typeof HostedConnection>;

/** A change: omitted fields keep their values. */
export const HostedConnectionUpdate = Shape('HostedConnectionUpdate', {
  transport: Type.Optional(fields.transport),
  path: Type.Optional(fields.path),
  idleSeconds: Type.Optional(fields.idleSeconds),
  memoryMegabytes: Type.Optional(fields.memoryMegabytes),
  diskMegabytes: Type.Optional(fields.diskMegabytes),
  startSeconds: Type.Optional(fields.startSeconds),
  answerSeconds: Type.Optional(fields.answerSeconds),
  maxProcesses: Type.Optional(fields.maxProcesses),
});

/** The settings in a row, with defaults for those that it omits. */
export function hostedConnectionOf(stored: Readonly<Partial<HostedConnection>>): HostedConnection {
  return { ...defaults, ...stored };
}
