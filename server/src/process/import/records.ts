/** Imports artifacts and events. */
import { type IncomingEvent, type Resource, receiveEvent } from '../../events/received-event.ts';
import { insertPastEvents } from '../../events/record.ts';
import { isJsonObject } from '../../values/json.ts';
import { EMPTY_LIST, EMPTY_OBJECT, rowFrom } from './rows.ts';
import type { SourceObject } from './sources/source.ts';
import type { Import } from './step.ts';

export async function importArtifacts({ source, target }: Import): Promise<void> {
  for await (const page of source.objects('artifacts')) {
    const rows = target.readable('artifacts', page, (artifact) => rowFrom('artifact', artifact));
    await target.transaction(async (tx) => {
      const added = await target.add(tx, 'artifacts', 'artifact', rows);
      const times = rows.flatMap(({ id, created }) => (added.has(id) ? [created] : []));
      await target.hold(tx, 'flow_runs', times);
    });
  }
  for await (const page of source.objects('artifact_keys')) {
    const rows = target.readable('artifact keys', page, (collection) => rowFrom('artifact_collection', collection));
    await target.transaction((tx) => target.add(tx, 'artifact keys', 'artifact_collection', rows, ['key']));
  }
}

/** Triggers do not evaluate imported events, because their actions have already run. */
export async function importEvents({ source, target, since, onProgress }: Import): Promise<void> {
  for await (const page of source.events(since, target.clock.now())) {
    const events = target.readable('events', page, (event) => incomingEvent(event, target));
    const ids = events.map(({ row }) => row.id);
    await target.transaction(async (tx) => {
      const here = await target.present(tx, 'event', ids);
      if (!target.isDry) await insertPastEvents(tx, events);
      const added = events.filter(({ row }) => !here.has(row.id));
      await target.age(
        tx,
        'events',
        added.map(({ row }) => row.occurred),
      );
      target.count('events', events.length, new Set(added.map(({ row }) => row.id)).size);
    });
    onProgress(`events of ${events[0]?.row.occurred.slice(0, 10)}`);
  }
}

function incomingEvent(event: SourceObject, target: Import['target']): IncomingEvent {
  const {
    id,
    occurred,
    received,
    event: name,
    payload,
    follows,
  } = rowFrom(
    'event',
    event,
    { resource_id: '', resource: EMPTY_OBJECT, related: EMPTY_LIST },
    { received: target.clock.now(), payload: EMPTY_OBJECT },
  );
  const related = Array.isArray(event['related']) ? event['related'].map(labelsOf) : [];
  return receiveEvent(target.workspace, received, {
    id,
    occurred,
    event: name,
    resource: labelsOf(event['resource']),
    related,
    payload,
    follows,
  });
}

function labelsOf(value: unknown): Resource {
  const labels = Object.entries(isJsonObject(value) ? value : {});
  return Object.fromEntries(labels.map(([name, label]) => [name, String(label)]));
}
