/** Records of requests to MCP servers as the platform API answers them, and what they are asked by. */
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
import { List, pageQuery } from '../../page.ts';

const Decision = Enum('RequestDecision', ['allowed', 'denied', 'invalid']);

/**
 * `denied`: access or policy refused it. `invalid`: the gateway could not pass it on as a message. `failed`: it went
 * on, and no answer came or the answer had an error status. The content of an answer does not count.
 */
const OUTCOMES = ['ok', 'denied', 'invalid', 'failed'] as const;
const Outcome = Enum('RequestOutcome', OUTCOMES);
export type Outcome = Static<typeof Outcome>;

/** The sender of a request; null where the server authenticates its callers itself. Never names the key. */
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
    /** Also the header `x-request-id` of the answer. */
    id: Uuid(),
    serverId: Uuid(),
    occurredAt: DateTime(),
    ...actor,
    /** Method of the message, or of HTTP where there was none. */
    method: Nullable(Type.String()),
    /** The tool, prompt or resource that it named. */
    capability: Nullable(Type.String()),
    /** Status of HTTP that the caller got. */
    status: Type.Integer(),
    /** Code of the JSON-RPC error that the gateway answered with. */
    errorCode: Nullable(Type.Integer()),
    decision: Decision,
    /** The rule or role that decided, or what was wrong. */
    reason: Type.String(),
    outcome: Outcome,
    durationMicroseconds: Type.Integer(),
    requestBytes: Type.Integer(),
    responseBytes: Type.Integer(),
    sessionId: Nullable(Uuid()),
    ...client,
    sourceId: described(Nullable(Uuid()), 'The server of a remix that the request went to.'),
  },
  'ignore',
);

export const ServerRequestList = List('ServerRequestList', ServerRequest);

const MAX_TEXT = 500;
const Text = Type.String({ maxLength: MAX_TEXT });

const span = {
  /** Not before. */
  since: Type.Optional(DateTime()),
  /** Before; now when left out. */
  until: Type.Optional(DateTime()),
};

const filter = {
  ...span,
  actorId: Type.Optional(Uuid()),
  method: Type.Optional(Text),
  capability: Type.Optional(Text),
  /** Class of the status of HTTP. */
  status: Type.Optional(OneOf(['2xx', '3xx', '4xx', '5xx'])),
  decision: Type.Optional(Decision),
  outcome: Type.Optional(Outcome),
  /** Only requests whose outcome is not ok. */
  errors: withDefault(Type.Boolean(), false),
  session: Type.Optional(Uuid()),
  /** Name of the client. */
  client: Type.Optional(Text),
};

export const filterShape = Type.Object(filter);
export type RequestFilter = Static<typeof filterShape>;

export const listQuery = Type.Object({ ...pageQuery.properties, ...filter });

const MAX_BUCKETS = 200;
export const histogramQuery = Type.Object({
  ...filter,
  /** Parts of one length that the span is cut into. */
  buckets: withDefault(Type.Integer({ minimum: 1, maximum: MAX_BUCKETS }), 48),
});

/**
 * How many requests, by outcome, and the time in which half and 19 of 20 of them were answered, at most 2 % too low. Streams
 * have none.
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
    /** In the order of time, empty ones too. */
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
    /** Id of the owner or server, name of the capability or client, day in UTC. */
    key: Nullable(Type.String()),
    /** Name of the owner or server. */
    name: Nullable(Type.String()),
    /** Type of the owner, method of the capability. */
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
    /** Different owners of its requests. */
    actors: Type.Integer(),
    firstAt: DateTime(),
    lastAt: DateTime(),
  },
  'ignore',
);
export type ServerClient = Static<typeof ServerClient>;

export const ServerClientList = List('ServerClientList', ServerClient);
