import { DateTime, Enum, Nullable, Shape, Type, Uuid, withDefault } from '../../../schema/kinds.ts';

const OutputLine = Shape(
  'OutputLine',
  {
    id: Uuid(),
    occurredAt: DateTime(),
    /** `system`: said by this server. */
    stream: Enum('OutputStream', ['stdout', 'stderr', 'system']),
    message: Type.String(),
  },
  'ignore',
);

export const outputQuery = Type.Object({
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 1000 }), 200),
  /** Only what came after this; what an answer gave as `nextCursor`. */
  cursor: Type.Optional(Type.String()),
  /** Only what came before this; what an answer gave as `previousCursor`. */
  before: Type.Optional(Type.String()),
});

/** The newest last. */
export const OutputPage = Shape(
  'OutputPage',
  {
    items: Type.Array(OutputLine),
    meta: Shape(
      'OutputPageMeta',
      {
        /** Asks for what comes next, also when there is nothing yet. */
        nextCursor: Type.String(),
        /** Asks for what came before; null when this is the beginning. */
        previousCursor: Nullable(Type.String()),
        limit: Type.Integer(),
      },
      'ignore',
    ),
  },
  'ignore',
);

export const Process = Shape(
  'ServerProcess',
  {
    /** When somebody stopped the server: requests do not start it until somebody starts it. Null while they do. */
    stoppedAt: Nullable(DateTime()),
    state: Enum('ServerProcessState', ['stopped', 'starting', 'running', 'waiting']),
    deploymentId: Nullable(Uuid()),
    startedAt: Nullable(DateTime()),
    processes: Type.Integer(),
    memoryBytes: Type.Integer(),
    requestsUnderWay: Type.Integer(),
    /** How often it ended unasked or failed to start since this replica started. */
    failures: Type.Integer(),
    lastFailure: Nullable(Type.String()),
    /** Seconds until it may be started again, while it is `waiting`. */
    retryAfterSeconds: Type.Integer(),
  },
  'ignore',
);
