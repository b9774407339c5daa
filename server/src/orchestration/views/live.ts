/**
 * What has changed in a workspace, for pages that show it: kinds and ids, and nothing of what the objects hold. A page
 * reads again what it shows of them, so a message that is lost costs a moment and never a wrong page.
 */
import type { Context } from '../../context.ts';
import type { StoredEvent } from '../../events/hub.ts';
import { parseJson } from '../../json.ts';

/** Changes of this long are told together. */
const GATHER_MILLISECONDS = 250;
/** With more, a page is told to read everything again. */
const MOST_CHANGES = 500;

export interface Change {
  /** The kind of object; `event` for an event of another kind, `resync` when too much has changed to tell. */
  readonly type: string;
  readonly id?: string;
  /** Of a task run and of logs: the flow run that they belong to. */
  readonly flow_run_id?: string;
}

/** Where the messages go. */
interface Sink {
  send(data: string): void;
}

/** Sends JSON arrays of changes. Returns how to stop. */
export function streamChanges({ server, workspace }: Context, sink: Sink): () => void {
  const gathered = new Map<string, Change>();
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    timer = undefined;
    const changes = gathered.size > MOST_CHANGES ? [{ type: 'resync' }] : [...gathered.values()];
    gathered.clear();
    sink.send(JSON.stringify(changes));
  };
  const note = (change: Change) => {
    if (gathered.size <= MOST_CHANGES) gathered.set(`${change.type} ${change.id ?? change.flow_run_id}`, change);
    timer ??= setTimeout(send, GATHER_MILLISECONDS);
  };
  const unsubscribe = [
    server.hub.subscribe('events', workspace, (events) => {
      for (const event of events) note(changeOf(event));
    }),
    server.hub.subscribe('logs', workspace, (logs) => {
      for (const { flow_run_id } of logs) if (flow_run_id !== null) note({ type: 'log', flow_run_id });
    }),
  ];
  return () => {
    clearTimeout(timer);
    for (const end of unsubscribe) end();
  };
}

/** `prefect.flow-run.<id>`: what the server itself and the clients call their objects in events. */
const RESOURCE = /^prefect\.([a-z-]+)\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** An event is read once for all streams of a process. */
const changes = new WeakMap<StoredEvent, Change>();

function changeOf(event: StoredEvent): Change {
  let change = changes.get(event);
  if (!change) {
    change = readChange(event);
    changes.set(event, change);
  }
  return change;
}

function readChange(event: StoredEvent): Change {
  const [, kind, id] = RESOURCE.exec(event.resource_id) ?? [];
  if (kind === undefined || id === undefined) return { type: 'event' };
  const type = kind.replaceAll('-', '_');
  if (type !== 'task_run') return { type, id };
  const flow_run_id = flowRunOf(event);
  return flow_run_id === undefined ? { type, id } : { type, id, flow_run_id };
}

function flowRunOf(event: StoredEvent): string | undefined {
  const related = parseJson(event.related) as readonly Readonly<Record<string, string>>[];
  const run = related.find((resource) => resource['prefect.resource.role'] === 'flow-run');
  return run && RESOURCE.exec(run['prefect.resource.id'] ?? '')?.[2];
}
