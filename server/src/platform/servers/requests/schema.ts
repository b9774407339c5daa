/** Records of requests to MCP servers in the form of the platform API, and the filters for them. */
import type { Where } from '../../../database/lists/where.ts';
import {
  DateTime,
  described,
  Enum,
  Nullable,
  OneOf,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import type { Timestamp } from '../../../values/time.ts';
import { List, pageQuery } from '../../page.ts';

const Decision = Enum('RequestDecision', ['allowed', 'denied', 'invalid']);

/**
 * `denied`: access or policy refused it. `invalid`: the gateway could not forward it as a message. `failed`: it was
 * forwarded, and no answer came, or the answer is an error: of HTTP, of JSON-RPC, or the result of a tool with `isError`.
 */
export const OUTCOMES = ['ok', 'denied', 'invalid', 'failed'] as const;
const Outcome = Enum('RequestOutcome', OUTCOMES);
export type Outcome = Static<typeof Outcome>;

/** The sender of a request; null if the server authenticates its callers itself. Never names the key. */
const actor = {
  actorType: Nullable(Type.String()),
  actorId: Nullable(Uuid()),
  actorName: Nullable(Type.String()),
};
/** The client's own name and version. */
const client = {
  clientName: Nullable(Type.String()),
  clientVersion: Nullable(Type.String()),
  protocolVersion: Nullable(Type.String()),
};

export const ServerRequest = Shape(
  'ServerRequest',
  {
    /** Equal to the header `x-request-id` of the answer. */
    id: Uuid(),
    serverId: Uuid(),
    occurredAt: DateTime(),
    ...actor,
    /** Method of the message, or of HTTP if there was no message. */
    method: Nullable(Type.String()),
    /** The tool, prompt or resource in the request. */
    capability: Nullable(Type.String()),
    /** HTTP status of the answer to the caller. */
    status: Type.Integer(),
    /** Code of the gateway's JSON-RPC error. */
    errorCode: Nullable(Type.Integer()),
    decision: Decision,
    /** The rule or role that decided, or the fault of the request. */
    reason: Type.String(),
    outcome: Outcome,
    durationMicroseconds: Type.Integer(),
    requestBytes: Type.Integer(),
    responseBytes: Type.Integer(),
    sessionId: Nullable(Uuid()),
    ...client,
    failure: described(
      Nullable(Shape('RequestFailure', { reason: Type.String(), cure: Type.String() }, 'ignore')),
      'Why the request has no good answer, and how to change that. Null if the outcome is ok, and for requests that an older version recorded.',
    ),
    startedRunId: described(Nullable(Uuid()), 'The flow run that a tool of a built-in server started.'),
    sourceId: described(Nullable(Uuid()), 'The source server to which a remix sent the request.'),
  },
  'ignore',
);

export type ServerRequest = Static<typeof ServerRequest>;

export const ServerRequestList = List('ServerRequestList', ServerRequest);

const MAX_TEXT = 500;
const Text = Type.String({ maxLength: MAX_TEXT });

const span = {
  /** Start of the span, inclusive. */
  since: Type.Optional(DateTime()),
  /** End of the span, exclusive; the current time when omitted. */
  until: Type.Optional(DateTime()),
};

const filter = {
  ...span,
  actorId: Type.Optional(Uuid()),
  method: Type.Optional(Text),
  capability: Type.Optional(Text),
  /** Class of the HTTP status. */
  status: Type.Optional(OneOf(['2xx', '3xx', '4xx', '5xx'])),
  decision: Type.Optional(Decision),
  outcome: Type.Optional(Outcome),
  /** True for only requests whose outcome is not ok. */
  errors: withDefault(Type.Boolean(), false),
  session: Type.Optional(Uuid()),
  /** Name of the client. */
  client: Type.Optional(Text),
};

export const filterShape = Type.Object(filter);
export type RequestFilter = Static<typeof filterShape> & {
  /** It has been checked against the fields of requests. */
  readonly where?: Where | undefined;
  /** Only records from this time on are read, because there are too many in the span. */
  readonly newestSince?: Timestamp | undefined;
};

export const listQuery = Type.Object({ ...pageQuery.properties, ...filter });

const MAX_BUCKETS = 200;
export const histogramQuery = Type.Object({
  ...filter,
  /** Number of equal parts of the span. */
  buckets: withDefault(Type.Integer({ minimum: 1, maximum: MAX_BUCKETS }), 48),
});

/**
 * The number of requests by outcome, and the times within which 50 % and 95 % of them were answered, at most 2 % too
 * low. Streams have no times.
 */
export const figures = {
  requests: Type.Integer(),
  ok: Type.Integer(),
  denied: Type.Integer(),
  invalid: Type.Integer(),
  failed: Type.Integer(),
  p50Microseconds: Nullable(Type.Integer()),
  p95Microseconds: Nullable(Type.Integer()),
};

export const Histogram = Shape(
  'RequestHistogram',
  {
    /** Ordered by time, including empty ones. */
    items: Type.Array(Shape('RequestHistogramBucket', { start: DateTime(), ...figures }, 'ignore')),
    meta: Shape(
      'RequestHistogramMeta',
      { since: DateTime(), until: DateTime(), bucketSeconds: Type.Number() },
      'ignore',
    ),
  },
  'ignore',
);
export type Histogram = Static<typeof Histogram>;

const USAGE_GROUPS = ['owner', 'capability', 'day', 'server', 'client'] as const;
const UsageGroup = Enum('UsageGroup', USAGE_GROUPS);
export type UsageGroup = Static<typeof UsageGroup>;

export const usageQuery = Type.Object({ ...pageQuery.properties, ...filter, groupBy: UsageGroup });

export const UsageItem = Shape(
  'UsageItem',
  {
    /** Id of the owner or server, name of the capability or client, or UTC day. */
    key: Nullable(Type.String()),
    /** Name of the owner or server. */
    name: Nullable(Type.String()),
    /** Type of the owner, or method of the capability. */
    kind: Nullable(Type.String()),
    ...figures,
    requestBytes: Type.Integer(),
    responseBytes: Type.Integer(),
    lastAt: DateTime(),
  },
  'ignore',
);
export type UsageItem = Static<typeof UsageItem>;

export const Usage = List('Usage', UsageItem);

export const ServerSession = Shape(
  'ServerSession',
  {
    id: Uuid(),
    ...actor,
    ...client,
    firstActivityAt: DateTime(),
    lastActivityAt: DateTime(),
    requests: Type.Integer(),
    toolCalls: Type.Integer(),
    errors: Type.Integer(),
  },
  'ignore',
);

export const ServerSessionList = List('ServerSessionList', ServerSession);

export const sessionsQuery = Type.Object({
  ...pageQuery.properties,
  actorId: Type.Optional(Uuid()),
  client: Type.Optional(Text),
});
export type SessionsQuery = Static<typeof sessionsQuery>;

export const clientsQuery = Type.Object({ ...pageQuery.properties, ...span });

export const ServerClient = Shape(
  'ServerClient',
  {
    name: Nullable(Type.String()),
    version: Nullable(Type.String()),
    requests: Type.Integer(),
    errors: Type.Integer(),
    /** Number of distinct owners of its requests. */
    actors: Type.Integer(),
    firstAt: DateTime(),
    lastAt: DateTime(),
  },
  'ignore',
);
export type ServerClient = Static<typeof ServerClient>;

export const ServerClientList = List('ServerClientList', ServerClient);
