/**
 * Writes the effects of firings: an event for each, a row for each action, and the firings that compound triggers
 * store.
 */

import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { type IncomingEvent, MAX_EVENT_BYTES, receiveEvent } from '../../../events/received-event.ts';
import { insertEvents } from '../../../events/record.ts';
import { relatedResource } from '../../../events/record-change.ts';
import { ReceivedEvent } from '../../../events/schema.ts';
import { compileEncoder } from '../../../schema/encode.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { type JsonText, jsonTextOf } from '../../../values/json.ts';
import { timestampFromMicroseconds, wireTimestamp } from '../../../values/time.ts';
import { childFirings } from '../queries.ts';
import type { ChildFirings } from './composite.ts';
import type { ChildFiring, Firing, StoredFiring } from './firing.ts';
import { findEvents, storeFiring } from './trigger-queries.ts';

const encodeEvent = compileEncoder(ReceivedEvent);

const actionKinds = {
  id: 'uuid',
  created: 'timestamp',
  automation_id: 'uuid',
  firing: 'text',
  triggering_event: 'text',
  action: 'text',
  action_index: 'integer',
  state: 'text',
} as const;

const insertActions = statement<{ actions: string }, unknown>((_query, given, dialect) => {
  const columns = sql.join(Object.keys(actionKinds).map((name) => sql.id(name)));
  return sql`insert into automation_action ("workspace", ${columns})
    select ${dialect.typed(given.workspace, 'integer')}, ${columns} from ${dialect.rowsFrom(given.actions, actionKinds)} item`;
});

/** Characters in one statement: firings with large events are written a few at a time. */
const MAX_STATEMENT_CHARACTERS = 4_000_000;

type EventRow = Row<'event'>;

/** Formats firings as the reference's JSON; events and stored firings are read once. */
class Printer {
  readonly #tx: Tx;
  readonly #events: Map<string, EventRow>;

  constructor(tx: Tx, known: ReadonlyMap<string, EventRow>) {
    this.#tx = tx;
    this.#events = new Map(known);
  }

  /** Reads events of the firings that are not loaded yet. */
  async load(firings: readonly Firing[]): Promise<void> {
    const ids = new Set(firings.flatMap(eventIdsOf).filter((id) => !this.#events.has(id)));
    for (const row of await findEvents(this.#tx, [...ids])) this.#events.set(row.id, row);
  }

  /** Null when the trigger fired without an event, or when the event was deleted since. */
  event(id: string | null): JsonText | null {
    const row = id === null ? undefined : this.#events.get(id);
    return row ? (encodeEvent(row) as JsonText) : null;
  }

  async firing(firing: ChildFiring): Promise<JsonText> {
    if (!('id' in firing)) return (await childFirings.first(this.#tx, keyOf(firing)))?.firing ?? ('null' as JsonText);
    const children: JsonText[] = [];
    for (const child of firing.children) children.push(await this.firing(child));
    const triggered = wireTimestamp(timestampFromMicroseconds(firing.triggered));
    return `{"id":"${firing.id}","trigger":${firing.trigger.text},"trigger_states":["Triggered"],"triggered":"${triggered}","triggering_labels":${jsonTextOf(firing.labels)},"triggering_firings":[${children.join()}],"triggering_event":${this.event(firing.eventId) ?? 'null'},"triggering_value":null}` as JsonText;
  }
}

function keyOf({ parentId, childId }: StoredFiring) {
  return { parent_trigger_id: parentId, child_trigger_id: childId };
}

function eventIdsOf(firing: Firing): string[] {
  const own = firing.eventId === null ? [] : [firing.eventId];
  return [...own, ...firing.children.flatMap((child) => ('id' in child ? eventIdsOf(child) : []))];
}

/** `events` are the events that were already read, by id. */
export async function writeFirings(
  context: Context,
  tx: Tx,
  firings: readonly Firing[],
  children: ChildFirings,
  events: ReadonlyMap<string, EventRow>,
): Promise<void> {
  const { left, gone } = children.changes();
  if (firings.length === 0 && left.length === 0 && gone.length === 0) return;
  const printer = new Printer(tx, events);
  await printer.load([...firings, ...left.map(([, firing]) => firing)]);
  await writeTriggered(context, tx, firings, printer);
  for (const firing of gone) await childFirings.removeAll(tx, keyOf(firing));
  for (const [parentId, firing] of left) {
    await tx.run(storeFiring, {
      parent_trigger_id: parentId,
      child_trigger_id: firing.trigger.id,
      automation_id: firing.trigger.automation.id,
      fired: timestampFromMicroseconds(firing.triggered),
      firing: await printer.firing(firing),
    });
  }
}

async function writeTriggered(context: Context, tx: Tx, firings: readonly Firing[], printer: Printer): Promise<void> {
  const triggered = firings.map((firing) => triggeredEvent(context, firing, printer));
  const { inserted, isQueued } = await insertEvents(tx, triggered);
  let actions: object[] = [];
  let size = 0;
  const flush = async () => {
    if (actions.length > 0) await tx.run(insertActions, { actions: JSON.stringify(actions) });
    actions = [];
    size = 0;
  };
  let hasActions = false;
  for (const [index, firing] of firings.entries()) {
    const text = await printer.firing(firing);
    for (const action of actionsOf(context, firing, text, printer, encodeEvent(triggered[index]!.row) as JsonText)) {
      actions.push(action);
      size += text.length + (action.triggering_event?.length ?? 0);
      hasActions = true;
      if (size > MAX_STATEMENT_CHARACTERS) await flush();
    }
  }
  await flush();
  tx.afterCommit(() => {
    const { hub } = context.server;
    for (const event of inserted) hub.tell('events', context.workspace, event);
    if (isQueued) hub.tell('work', 'triggers', context.workspace);
    if (hasActions) hub.tell('work', 'actions', context.workspace);
  });
}

/** Omits the triggering event if it would make the event larger than the limit for clients. */
function triggeredEvent(context: Context, firing: Firing, printer: Printer): IncomingEvent {
  const whole = describeFiring(context, firing, printer.event(firing.eventId));
  return whole.sizeBytes <= MAX_EVENT_BYTES ? whole : describeFiring(context, firing, null);
}

function describeFiring(context: Context, firing: Firing, event: JsonText | null): IncomingEvent {
  const { trigger, triggered, labels, eventId } = firing;
  const { id, name } = trigger.automation;
  const posture = trigger.kind === 'event' ? (trigger.rule.isProactive ? 'Proactive' : 'Reactive') : undefined;
  return receiveEvent(context.workspace, context.now, {
    // This is also the id of the firing, so that actions can name the event.
    id: firing.id,
    occurred: timestampFromMicroseconds(triggered),
    event: 'prefect.automation.triggered',
    resource: {
      'prefect.resource.id': `prefect.automation.${id}`,
      'prefect.resource.name': name,
      ...(posture ? { 'prefect.posture': posture } : {}),
    },
    related: eventId === null ? [] : [relatedResource('event', eventId, 'triggering-event')],
    payload: `{"triggering_labels":${jsonTextOf(labels)},"triggering_event":${event ?? 'null'}}` as JsonText,
  });
}

/** Actions on the trigger come after the others, and concern the event of the firing itself. */
function actionsOf(context: Context, firing: Firing, text: JsonText, printer: Printer, triggered: JsonText) {
  const { id: automation_id, actions, actionsOnTrigger } = firing.trigger.automation;
  const event = printer.event(firing.eventId);
  const all = [
    ...actions.map((action) => ({ action, triggering_event: event })),
    ...actionsOnTrigger.map((action) => ({ action, triggering_event: triggered })),
  ];
  return all.map(({ action, triggering_event }, action_index) => ({
    id: newTimeOrderedId(),
    created: context.now,
    automation_id,
    firing: text,
    triggering_event,
    action,
    action_index,
    state: 'waiting',
  }));
}
