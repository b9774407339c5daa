/**
 * Frames of the channel between a worker and its pool. Source: the socket
 * `/work_pools/{work_pool_name}/workers/connect` of the Prefect server 3.9.1.
 */
import {
  DateTime,
  Enum,
  JsonObject,
  Literal,
  Maybe,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { WorkPoolResponse } from '../schema.ts';

export const CHANNEL_VERSION = 'work_pool_worker_channel.v1';
export const CLEANUP_DELIVERY = 'cleanup_delivery.v1';
/** Capabilities that a worker must have for a channel. */
export const REQUIRED_CAPABILITIES = ['worker_heartbeat.v1', 'work_pool_snapshot.v1'] as const;

const Text = Type.String({ minLength: 1 });
const Positive = Type.Integer({ exclusiveMinimum: 0 });
const CleanupKind = Enum('CleanupKind', ['cancelling_timeout_teardown.v1', 'pending_claim_teardown.v1']);

const frame = { id: Uuid(), sent_at: DateTime() };

export const WorkerHello = Shape('WorkerHelloPayload', {
  consumer_id: Uuid(),
  worker_name: Text,
  worker_type: Text,
  heartbeat_interval_seconds: Positive,
  supported_channel_versions: Type.Array(Text, { minItems: 1 }),
  requested_capabilities: Type.Array(Text, { minItems: 1 }),
  work_queue_names: withDefault(Type.Array(Text), []),
  handled_cleanup_kinds: withDefault(Type.Array(CleanupKind), []),
  /** The default is 1 for a worker that accepts requests to clean up. */
  max_cleanup_concurrency: Type.Optional(Type.Integer({ minimum: 0 })),
  create_pool_if_not_found: withDefault(Type.Boolean(), false),
  default_base_job_template: withDefault(JsonObject(), {}),
  worker_metadata: Maybe(JsonObject()),
});
export type WorkerHello = Static<typeof WorkerHello>;

const WorkerHeartbeat = Shape('WorkerHeartbeatPayload', {
  consumer_id: Uuid(),
  worker_name: Text,
  heartbeat_interval_seconds: Positive,
});

const operation = { message_id: Uuid(), reservation_token: Text };
const CleanupOperation = Shape('CleanupOperationPayload', operation);
const CleanupRelease = Shape('CleanupReleasePayload', { ...operation, reason: Text });

/** The frames that a worker may send, by type. */
export const clientFrames = {
  'worker.hello.v1': Shape('WorkerHelloFrame', { type: Literal('worker.hello.v1'), ...frame, payload: WorkerHello }),
  'worker.heartbeat.v1': Shape('WorkerHeartbeatFrame', {
    type: Literal('worker.heartbeat.v1'),
    ...frame,
    payload: WorkerHeartbeat,
  }),
  'cleanup.ack.v1': Shape('CleanupAckFrame', { type: Literal('cleanup.ack.v1'), ...frame, payload: CleanupOperation }),
  'cleanup.renew.v1': Shape('CleanupRenewFrame', {
    type: Literal('cleanup.renew.v1'),
    ...frame,
    payload: CleanupOperation,
  }),
  'cleanup.release.v1': Shape('CleanupReleaseFrame', {
    type: Literal('cleanup.release.v1'),
    ...frame,
    payload: CleanupRelease,
  }),
};
export type HelloFrame = Static<(typeof clientFrames)['worker.hello.v1']>;
export type HeartbeatFrame = Static<(typeof clientFrames)['worker.heartbeat.v1']>;
export type OperationFrame = Static<
  (typeof clientFrames)['cleanup.ack.v1' | 'cleanup.renew.v1' | 'cleanup.release.v1']
>;
export type ClientFrame = HelloFrame | HeartbeatFrame | OperationFrame;

export const SnapshotPayload = Shape('WorkPoolSnapshotPayload', {
  snapshot_sequence: Positive,
  reason: Text,
  work_pool: WorkPoolResponse,
});

export const ReadyPayload = Shape('WorkerReadyPayload', {
  consumer_id: Uuid(),
  worker_id: Maybe(Uuid()),
  selected_channel_version: Text,
  effective_heartbeat_interval_seconds: Positive,
  accepted_capabilities: Type.Array(Text),
  rejected_capabilities: Type.Array(Text),
  effective_max_cleanup_concurrency: Type.Integer(),
  resolved_work_queues: Type.Array(Shape('ResolvedWorkQueue', { id: Uuid(), name: Text })),
  initial_snapshot: SnapshotPayload,
});

export const CleanupMessagePayload = Shape('CleanupMessagePayload', {
  message_id: Uuid(),
  reservation_token: Text,
  lease_expires_at: DateTime(),
  delivery_count: Positive,
  work_queue_id: Maybe(Uuid()),
  data: JsonObject(),
  kind: CleanupKind,
  target: JsonObject(),
});

export const OperationResultPayload = Shape('CleanupOperationResultPayload', {
  request_frame_id: Uuid(),
  message_id: Uuid(),
  operation: Text,
  status: Text,
  lease_expires_at: Maybe(DateTime()),
  reason: Maybe(Text),
  detail: Maybe(Text),
});

/** Close codes of the server. Workers continue over REST after the first four, and reconnect after the others. */
export const closeCodes = {
  authorization_failed: 1008,
  unsupported_version: 1008,
  protocol_error: 1002,
  heartbeat_persistence_failed: 1011,
  transient_server_error: 1011,
} as const;
export type CloseReason = keyof typeof closeCodes;
