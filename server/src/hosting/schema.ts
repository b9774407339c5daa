/** How a hosted server is run: its `connection` on the wire and in its row. */
import { Enum, Shape, type Static, Type, withDefault } from '../schema/kinds.ts';

const HOSTED_TRANSPORTS = ['http', 'stdio'] as const;

export const HostedConnection = Shape('HostedConnection', {
  /** `http`: the process listens on the port that it is given; `stdio`: it reads and writes lines. */
  transport: withDefault(Enum('HostedTransport', HOSTED_TRANSPORTS), 'http'),
  /** Where the process serves MCP, with `http`. */
  path: withDefault(Type.String({ pattern: '^/[A-Za-z0-9._~/-]*$', maxLength: 200 }), '/mcp'),
  /** Seconds without a request after which a process ends. */
  idleSeconds: withDefault(Type.Integer({ minimum: 10, maximum: 86_400 }), 900),
  /** Memory of a process with all it has started. */
  memoryMegabytes: withDefault(Type.Integer({ minimum: 64, maximum: 65_536 }), 1024),
  /** Seconds that a process has from its start until it answers. */
  startSeconds: withDefault(Type.Integer({ minimum: 1, maximum: 600 }), 60),
  /** Seconds until an answer must begin. */
  answerSeconds: withDefault(Type.Integer({ minimum: 1, maximum: 3600 }), 170),
  /** Processes at the same time, with `stdio`, where each session has its own. */
  maxProcesses: withDefault(Type.Integer({ minimum: 1, maximum: 200 }), 20),
});
export type HostedConnection = Static<typeof HostedConnection>;

/** What a row holds, with defaults for what it does not say. */
export function hostedConnectionOf(stored: Readonly<Partial<HostedConnection>>): HostedConnection {
  return {
    transport: stored.transport ?? 'http',
    path: stored.path ?? '/mcp',
    idleSeconds: stored.idleSeconds ?? 900,
    memoryMegabytes: stored.memoryMegabytes ?? 1024,
    startSeconds: stored.startSeconds ?? 60,
    answerSeconds: stored.answerSeconds ?? 170,
    maxProcesses: stored.maxProcesses ?? 20,
  };
}
