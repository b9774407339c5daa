/**
 * The changes in a workspace, and at the MCP servers that the reader edits, for pages that show them: kinds and ids,
 * without the content of the objects. A page then reads its objects again, so a lost message delays a page but never
 * makes it wrong.
 */

import { ANY, type Hub, type StoredEvent, type StoredLog } from '../../changes/hub.ts';
import { type LiveFrame, messageFrame } from '../../changes/live-frame.ts';
import type { Context } from '../../context/context.ts';
import type { FollowedServers } from '../../identity/access/server-followers.ts';
import { parseJson } from '../../values/json.ts';
import { guarded } from '../../watching/background.ts';

/** The first change after a pause is sent after this time; changes within it share one message. */
const SOON_MILLISECONDS = 50;
/** During continuous changes, messages are this far apart. */
const SPACING_MILLISECONDS = 250;
/** With more changes than this, a message makes the page read everything again. */
const MOST_CHANGES = 500;

interface Change {
  /** The kind of object; `event` for an event of another kind, `resync` when there are too many changes. */
  readonly type: string;
  readonly id?: string;
  /** The flow run of a task run or of logs. */
  readonly flow_run_id?: string;
}

/** The receiver of the messages. */
interface Sink {
  send(message: LiveFrame): void;
  /** Ends the stream; its reader may open another. */
  end(): void;
}

/** Sends JSON arrays of changes. Returns a function that stops this. */
export function streamChanges(context: Context, followed: FollowedServers, sink: Sink): () => void {
  const { hub } = context.server;
  const own = new GatheredChanges((frame) => sink.send(frame), sink.end);
  const reader = { caller: context.caller, end: sink.end };
  /** Hears of the servers of everybody. With too many changes the page reads everything again. */
  const ofServers = { caller: context.caller, end: () => own.note({ type: 'resync' }) };
  let isOpen = true;
  const noteOfServer = async (id: string, type: string) => {
    if ((await followed.mayFollow(id)) && isOpen) own.note({ type, id });
  };
  const stops = [
    hub.hear('servers', ANY, (_, id) => noteOfServer(id, 'mcp_server'), ofServers),
    hub.hear('activity', ANY, (type, id) => noteOfServer(id, type), ofServers),
    hub.hear('changes', context.workspace, (frame) => sink.send(frame), reader),
    followWorkspace(hub, context.workspace),
  ];
  return () => {
    isOpen = false;
    own.stop();
    for (const stop of stops) stop();
  };
}

/** Gathers changes into messages. */
class GatheredChanges {
  readonly #send: (frame: LiveFrame) => void;
  readonly #failed: (error: unknown) => void;
  readonly #changes = new Map<string, Change>();
  #timer: NodeJS.Timeout | undefined;
  #last = Number.NEGATIVE_INFINITY;

  constructor(send: (frame: LiveFrame) => void, failed: (error: unknown) => void) {
    this.#send = send;
    this.#failed = failed;
  }

  note(change: Change): void {
    if (this.#changes.size <= MOST_CHANGES) {
      this.#changes.set(`${change.type} ${change.id ?? change.flow_run_id}`, change);
    }
    this.#timer ??= setTimeout(
      guarded('a message of a live stream', () => this.#tell(), this.#failed),
      Math.max(SOON_MILLISECONDS, this.#last + SPACING_MILLISECONDS - performance.now()),
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #tell(): void {
    this.#timer = undefined;
    this.#last = performance.now();
    const changes = this.#changes.size > MOST_CHANGES ? [{ type: 'resync' }] : [...this.#changes.values()];
    this.#changes.clear();
    this.#send(messageFrame(JSON.stringify(changes)));
  }
}

/** The changes in a workspace are gathered once for all of its streams, while it has any. */
interface Feed {
  readonly stop: () => void;
  streams: number;
}

const feeds = new WeakMap<Hub, Map<number, Feed>>();

/** Returns a function for a stream that ends. */
function followWorkspace(hub: Hub, workspace: number): () => void {
  const inHub = feeds.get(hub) ?? new Map<number, Feed>();
  feeds.set(hub, inHub);
  const feed = inHub.get(workspace) ?? beginFeed(hub, workspace);
  inHub.set(workspace, feed);
  feed.streams += 1;
  return () => {
    feed.streams -= 1;
    if (feed.streams > 0) return;
    inHub.delete(workspace);
    feed.stop();
  };
}

function beginFeed(hub: Hub, workspace: number): Feed {
  /** Makes readers read everything again when changes were lost. */
  const readAgain = () => gathered.note({ type: 'resync' });
  const gathered = new GatheredChanges((frame) => hub.tell('changes', workspace, frame), readAgain);
  const reader = { caller: 'the changes of its pages', end: readAgain };
  const noteLog = ({ flow_run_id }: StoredLog) => {
    if (flow_run_id !== null) gathered.note({ type: 'log', flow_run_id });
  };
  const stops = [
    hub.hear('events', workspace, (event) => gathered.note(changeOf(event)), reader),
    hub.hear('logs', workspace, noteLog, reader),
  ];
  return {
    streams: 0,
    stop() {
      gathered.stop();
      for (const stop of stops) stop();
    },
  };
}

/** `prefect.flow-run.<id>`: the name of an object in events of the server and of clients. */
const RESOURCE = /^prefect\.([a-z-]+)\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function changeOf(event: StoredEvent): Change {
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
