/** Decodes and encodes frames of the worker channel. */

import { compileDecoder } from '../../../schema/decode.ts';
import { compileEncoder } from '../../../schema/encode.ts';
import type { TSchema } from '../../../schema/kinds.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { type Timestamp, wireTimestamp } from '../../../values/time.ts';
import {
  CleanupMessagePayload,
  type ClientFrame,
  clientFrames,
  OperationResultPayload,
  ReadyPayload,
  SnapshotPayload,
} from './schema.ts';

const decoders = Object.fromEntries(
  Object.entries(clientFrames).map(([type, schema]) => [type, compileDecoder(schema as TSchema, 'body')]),
);

/** Undefined for a message of a type that workers do not send. */
export function readWorkerFrame(message: Record<string, unknown> | undefined): ClientFrame | undefined {
  const type = message?.['type'];
  const decode = typeof type === 'string' && Object.hasOwn(decoders, type) ? decoders[type] : undefined;
  const decoded = decode?.(message);
  return decoded?.ok ? (decoded.value as ClientFrame) : undefined;
}

const encoders = {
  'worker.ready.v1': compileEncoder(ReadyPayload),
  'work_pool.snapshot.v1': compileEncoder(SnapshotPayload),
  'cleanup.message.v1': compileEncoder(CleanupMessagePayload),
  'cleanup.operation_result.v1': compileEncoder(OperationResultPayload),
};

export function writeFrame(type: keyof typeof encoders, payload: unknown, now: Timestamp): string {
  const head = `{"type":"${type}","id":"${newTimeOrderedId()}","sent_at":"${wireTimestamp(now)}"`;
  return `${head},"payload":${encoders[type](payload)}}`;
}
