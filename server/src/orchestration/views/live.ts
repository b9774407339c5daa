/**
 * The changes in a workspace, and at the MCP servers that the reader edits, for pages that show them: kinds and ids,
 * without the content of the objects. A page reads
 * again the objects that it shows, so a lost message delays a page and never makes it wrong.
 */
import { guarded } from '../../background.ts';
import type { Context } from '../../context.ts';
import type { StoredEvent, StoredLog } from '../../events/hub.ts';
import type { FollowedServers } from '../../identity/server-followers.ts';
import { parseJson } from '../../json.ts';

/** The first change after a pause is told after this time; changes within it share one message. */
const SOON_MILLISECONDS = 50;
/** While changes go on, messages are this far apart. */
const SPACING_MILLISECONDS = 250;
/** With more changes than this, a message asks the page to read everything again. */
const MOST_CHANGES = 500;

export interface Change {
  /** The kind of object; `event` for an event of another kind, `resync` when there are too many changes. */
  readonly type: string;
  readonly id?: string;
  /** The flow run of a task run or of logs. */
  readonly flow_run_id?: string;
}

/** The receiver of the messages. */
interface Sink {
  send(data: string): void;
  /** Ends the stream; its reader may open another one. */
  end(): void;
}

/** Sends JSON arrays of changes. Returns a function that stops it. */
export function streamChanges({ server, workspace }: Context, followed: FollowedServers, sink: Sink): () => void {
  const gathered = new Map<string, Change>();
  let timer: NodeJS.Timeout | undefined;
  let last = Number.NEGATIVE_INFINITY;
  const send = () => {
    timer = undefined;
    last = performance.now();
    const changes = gathered.size > MOST_CHANGES ? [{ type: 'resync' }] : [...gathered.values()];
    gathered.clear();
    sink.send(JSON.stringify(changes));
  };
  const note = (change: Change) => {
    if (gathered.size <= MOST_CHANGES) gathered.set(`${change.type} ${change.id ?? change.flow_run_id}`, change);
    timer ??= setTimeout(
      guarded('a message of a live stream', send, sink.end),
      Math.max(SOON_MILLISECONDS, last + SPACING_MILLISECONDS - performance.now()),
    );
  };
  let isOpen = true;
  const noteOfServer = async (id: string, type: string) => {
    if ((await followed.mayFollow(id)) && isOpen) note({ type, id });
  };
  const noteEvent = (event: StoredEvent) => note(changeOf(event));
  const noteLog = ({ flow_run_id }: StoredLog) => {
    if (flow_run_id !== null) note({ type: 'log', flow_run_id });
  };
  const unsubscribe = [
    server.serverActivity.listen(noteOfServer, sink.end),
    server.hub.subscribe('events', workspace, (events) => events.forEach(noteEvent), sink.end),
    server.hub.subscribe('logs', workspace, (logs) => logs.forEach(noteLog), sink.end),
  ];
  return () => {
    isOpen = false;
    clearTimeout(timer);
    for (const end of unsubscribe) end();
  };
}

/** `prefect.flow-run.<id>`: the name of an object in events of the server and of clients. */
const RESOURCE = /^prefect\.([a-z-]+)\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** All streams of a process share one reading of an event. */
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
