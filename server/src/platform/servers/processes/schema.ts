import { DateTime, Enum, Nullable, Shape, Type, Uuid, withDefault } from '../../../schema/kinds.ts';

const OutputLine = Shape(
  'OutputLine',
  {
    id: Uuid(),
    occurredAt: DateTime(),
    /** `system` marks lines of this server. */
    stream: Enum('OutputStream', ['stdout', 'stderr', 'system']),
    message: Type.String(),
  },
  'ignore',
);

export const outputQuery = Type.Object({
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 1000 }), 200),
  /** Returns only lines after this cursor, a `nextCursor` of an earlier answer. */
  cursor: Type.Optional(Type.String()),
  /** Returns only lines before this cursor, a `previousCursor` of an earlier answer. */
  before: Type.Optional(Type.String()),
});

/** The latest line comes last. */
export const OutputPage = Shape(
  'OutputPage',
  {
    items: Type.Array(OutputLine),
    meta: Shape(
      'OutputPageMeta',
      {
        /** The cursor for later lines, even if there are none yet. */
        nextCursor: Type.String(),
        /** The cursor for earlier lines; null at the beginning. */
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
    /** Time at which a person stopped the server: requests do not start it until a person does. Null while they do. */
    stoppedAt: Nullable(DateTime()),
    state: Enum('ServerProcessState', ['stopped', 'starting', 'running', 'waiting']),
    deploymentId: Nullable(Uuid()),
    startedAt: Nullable(DateTime()),
    processes: Type.Integer(),
    memoryBytes: Type.Integer(),
    requestsUnderWay: Type.Integer(),
    /** Number of unexpected ends and failed starts since this replica started. */
    failures: Type.Integer(),
    lastFailure: Nullable(Type.String()),
    /** Seconds until it may be started again, while it is `waiting`. */
    retryAfterSeconds: Type.Integer(),
  },
  'ignore',
);
