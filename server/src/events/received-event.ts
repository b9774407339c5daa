/** A received event before it is stored: its row, and the labels from which other tables are filled. */

import type { StoredEvent } from '../changes/hub.ts';
import { type JsonText, jsonTextOf } from '../values/json.ts';
import type { Timestamp } from '../values/time.ts';

/**
 * Labels of a resource; `prefect.resource.id` is always present, and related ones also have `prefect.resource.role`.
 */
export type Resource = Readonly<Record<string, string>>;

/** A larger event, as JSON, is not stored. Source: `POST /events` of the Prefect server 3.9.1. */
export const MAX_EVENT_BYTES = 1_500_000;

/** A decoded event of a client. */
export interface ClientEvent {
  readonly id: string;
  readonly occurred: Timestamp;
  readonly event: string;
  readonly resource: Resource;
  readonly related?: readonly Resource[] | undefined;
  readonly payload?: JsonText | undefined;
  readonly follows?: string | null | undefined;
}

export interface IncomingEvent {
  readonly row: StoredEvent;
  readonly resource: Resource;
  readonly related: readonly Resource[];
  /** Approximate size in memory and in a statement. */
  readonly sizeBytes: number;
}

export function receiveEvent(workspace: number, received: Timestamp, event: ClientEvent): IncomingEvent {
  const related = event.related ?? [];
  const row: StoredEvent = {
    workspace,
    id: event.id,
    occurred: event.occurred,
    received,
    event: event.event,
    resource_id: event.resource['prefect.resource.id'] ?? '',
    resource: jsonTextOf(event.resource),
    related: jsonTextOf(related),
    payload: event.payload ?? ('{}' as JsonText),
    follows: event.follows ?? null,
  };
  return { row, resource: event.resource, related, sizeBytes: sizeOf(row) };
}

/** Bytes of the event's JSON, except the few of its keys and ids. */
function sizeOf(row: StoredEvent): number {
  return [row.event, row.resource, row.related, row.payload].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
