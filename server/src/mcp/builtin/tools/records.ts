/** Tools that read the records of runs: logs, artifacts and events. */
import { DateTime, described, OneOf, Type, Uuid, withDefault } from '../../../schema/kinds.ts';
import { cursorOf, offsetIn, pageInput, pageOutput, positionIn } from '../definition/paging.ts';
import { compact, jsonOf, shortened, toSecond } from '../definition/text.ts';
import { ToolRefusal, tool } from '../definition/tool.ts';

const LINE_LENGTH = 1000;
const LEVELS = { debug: 10, info: 20, warning: 30, error: 40, critical: 50 } as const;
const LEVEL_NAMES = Object.keys(LEVELS) as (keyof typeof LEVELS)[];

/** The name of the highest level that does not exceed it. */
function levelOf(level: number): string {
  return LEVEL_NAMES.findLast((name) => LEVELS[name] <= level) ?? 'debug';
}

interface LogLine {
  readonly timestamp: string;
  readonly level: number;
  readonly message: string;
  readonly task_run_id: string | null;
}

const readLogs = tool({
  name: 'read_logs',
  title: 'Read logs',
  description:
    'Log lines of a flow run or a task run. Request `min_level` error first, or the newest lines: whole logs are long.',
  effect: 'read',
  routes: ['POST /logs/filter'],
  input: {
    run_id: described(Type.Optional(Uuid()), 'Id of a flow run: its own lines and those of its tasks.'),
    task_run_id: described(Type.Optional(Uuid()), 'Id of a task run: its lines only.'),
    min_level: withDefault(OneOf(LEVEL_NAMES), 'info'),
    text: described(
      Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      'Only lines that contain these words.',
    ),
    order: withDefault(OneOf(['oldest', 'newest']), 'oldest'),
    ...pageInput,
  },
  output: {
    lines: Type.Array(
      Type.Object({
        at: Type.String(),
        level: Type.String(),
        message: Type.String(),
        task_run_id: Type.Optional(Type.String()),
      }),
    ),
    ...pageOutput,
  },
  async run({ run_id, task_run_id, min_level, text, order, limit, cursor }, { ask }) {
    if (run_id === undefined && task_run_id === undefined) {
      throw new ToolRefusal('run_id: give the id of a flow run, or task_run_id that of a task run.');
    }
    const offset = offsetIn(cursor);
    const found = await ask<LogLine[]>('POST /logs/filter', {
      body: {
        logs: {
          flow_run_id: run_id && { any_: [run_id] },
          task_run_id: task_run_id && { any_: [task_run_id] },
          level: { ge_: LEVELS[min_level] },
          text: text && { query: text },
        },
        sort: order === 'oldest' ? 'TIMESTAMP_ASC' : 'TIMESTAMP_DESC',
        offset,
        limit: limit + 1,
      },
    });
    return {
      lines: found.slice(0, limit).map((line) =>
        compact({
          at: toSecond(line.timestamp) ?? line.timestamp,
          level: levelOf(line.level),
          message: shortened(line.message, LINE_LENGTH),
          task_run_id: task_run_id === undefined ? line.task_run_id : undefined,
        }),
      ),
      ...cursorOf(found.length > limit ? offset + limit : undefined),
      next_steps:
        found.length === 0 && min_level !== 'debug' ? ['There are no such lines. Try a lower min_level.'] : [],
    };
  },
});

interface ArtifactRow {
  readonly id: string;
  readonly key: string | null;
  readonly type: string | null;
  readonly description: string | null;
  readonly updated: string;
  readonly flow_run_id: string | null;
  readonly flow_name: string | null;
}

const listArtifacts = tool({
  name: 'list_artifacts',
  title: 'List artifacts',
  description:
    'The newest artifact of each key, every version of one key, or every artifact of a run; newest first, without their data.',
  effect: 'read',
  routes: ['POST /views/artifacts'],
  input: {
    key: described(Type.Optional(Type.String({ maxLength: 1000 })), 'Every version of this key.'),
    run_id: described(Type.Optional(Uuid()), 'Every artifact of this flow run.'),
    task_run_id: described(Type.Optional(Uuid()), 'Every artifact of this task run.'),
    text: described(Type.Optional(Type.String({ maxLength: 200 })), 'Part of the key.'),
    types: described(
      Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 20 })),
      'Only these types, such as table, markdown, link, image or progress.',
    ),
    ...pageInput,
  },
  output: {
    artifacts: Type.Array(
      Type.Object({
        id: Type.String(),
        key: Type.Optional(Type.String()),
        type: Type.Optional(Type.String()),
        description: Type.Optional(Type.String()),
        updated: Type.String(),
        run_id: Type.Optional(Type.String()),
        flow: Type.Optional(Type.String()),
      }),
    ),
    ...pageOutput,
  },
  async run({ run_id, limit, cursor, ...filter }, { ask }) {
    const body = { ...filter, flow_run_id: run_id, limit, after: positionIn(cursor) };
    const { artifacts, next } = await ask<{ artifacts: ArtifactRow[]; next: unknown }>('POST /views/artifacts', {
      body,
    });
    const [first] = artifacts;
    return {
      artifacts: artifacts.map((row) =>
        compact({
          id: row.id,
          key: row.key,
          type: row.type,
          description: row.description,
          updated: toSecond(row.updated) ?? row.updated,
          run_id: row.flow_run_id,
          flow: row.flow_name,
        }),
      ),
      ...cursorOf(next),
      next_steps: first ? [`get_artifact with artifact_id ${first.id} shows its data.`] : [],
    };
  },
});

interface Artifact {
  readonly id: string;
  readonly key: string | null;
  readonly type: string | null;
  readonly description: string | null;
  readonly data: unknown;
  readonly updated: string;
  readonly flow_run_id: string | null;
  readonly task_run_id: string | null;
}

const LARGEST_PART = 20_000;

const getArtifact = tool({
  name: 'get_artifact',
  title: 'Read an artifact',
  description: 'One artifact with its data. Read long data in parts, from `offset` on.',
  effect: 'read',
  routes: ['GET /artifacts/{id}'],
  input: {
    artifact_id: described(Uuid(), 'Id of an artifact. `list_artifacts` finds it.'),
    offset: described(withDefault(Type.Integer({ minimum: 0 }), 0), 'Characters of the data to skip.'),
    length: described(
      withDefault(Type.Integer({ minimum: 1, maximum: LARGEST_PART }), 4000),
      'Characters of the data to return.',
    ),
  },
  output: {
    id: Type.String(),
    key: Type.Optional(Type.String()),
    type: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    updated: Type.String(),
    run_id: Type.Optional(Type.String()),
    task_run_id: Type.Optional(Type.String()),
    data: described(Type.String(), 'Text unchanged, any other value as JSON.'),
    characters: described(Type.Integer(), 'Characters of the whole data.'),
    next_offset: described(Type.Optional(Type.Integer()), 'Absent at the end of the data.'),
  },
  async run({ artifact_id, offset, length }, { ask }) {
    const found = await ask<Artifact>('GET /artifacts/{id}', { path: { id: artifact_id } });
    const data = typeof found.data === 'string' ? found.data : JSON.stringify(found.data ?? null);
    return {
      ...compact({
        id: found.id,
        key: found.key,
        type: found.type,
        description: found.description ? shortened(found.description, LINE_LENGTH) : undefined,
        updated: toSecond(found.updated) ?? found.updated,
        run_id: found.flow_run_id,
        task_run_id: found.task_run_id,
      }),
      data: data.slice(offset, offset + length),
      characters: data.length,
      ...compact({ next_offset: offset + length < data.length ? offset + length : undefined }),
    };
  },
});

interface Event {
  readonly id: string;
  readonly occurred: string;
  readonly event: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly related: readonly Readonly<Record<string, string>>[];
  readonly payload: unknown;
}
interface EventPage {
  readonly events: readonly Event[];
  readonly next_page: string | null;
}

const LARGEST_EVENT_PAGE = 50;
const RELATED = 5;
const texts = Type.Optional(Type.Array(Type.String({ maxLength: 500 }), { maxItems: 20 }));
const SEARCH = 'POST /events/filter';
const GO_ON = 'GET /events/filter/next';

const listEvents = tool({
  name: 'list_events',
  title: 'List events',
  description:
    'Events of the workspace, newest first: states of runs, changes of deployments, pools, automations and their firings, and events of programs. Default: the last day.',
  effect: 'read',
  routes: [SEARCH, GO_ON],
  input: {
    since: Type.Optional(DateTime()),
    until: Type.Optional(DateTime()),
    prefixes: described(texts, 'Only events whose name begins with one of these, such as prefect.flow-run.Failed.'),
    resources: described(texts, 'Only events of or about these resources, such as prefect.flow-run.<id>.'),
    text: described(
      Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      'Only events that contain these words.',
    ),
    limit: described(
      withDefault(Type.Integer({ minimum: 1, maximum: LARGEST_EVENT_PAGE }), 20),
      `Items per page, at most ${LARGEST_EVENT_PAGE}.`,
    ),
    cursor: pageInput.cursor,
  },
  output: {
    events: Type.Array(
      Type.Object({
        id: Type.String(),
        at: Type.String(),
        event: Type.String(),
        resource: Type.String(),
        name: Type.Optional(Type.String()),
        related: Type.Optional(Type.Array(Type.String())),
        payload: described(Type.Optional(Type.String()), 'The beginning of the payload as JSON.'),
      }),
    ),
    ...pageOutput,
  },
  async run({ since, until, prefixes, resources, text, limit, cursor }, { ask }) {
    const token = positionIn<string>(cursor);
    const filter = {
      occurred: { since, until },
      event: prefixes && { prefix: prefixes },
      any_resource: resources && { id: resources },
      text: text && { query: text },
    };
    const page =
      token === undefined
        ? await ask<EventPage>(SEARCH, { body: { filter, limit } })
        : await ask<EventPage>(GO_ON, { query: { 'page-token': String(token) } });
    const next = page.next_page === null ? undefined : new URL(page.next_page).searchParams.get('page-token');
    return {
      events: page.events.map(({ id, occurred, event, resource, related, payload }) =>
        compact({
          id,
          at: toSecond(occurred) ?? occurred,
          event,
          resource: resource['prefect.resource.id'] ?? '',
          name: resource['prefect.resource.name'],
          related: related.slice(0, RELATED).map((other) => other['prefect.resource.id'] ?? ''),
          payload: jsonOf(payload, 300),
        }),
      ),
      ...cursorOf(next),
    };
  },
});

export const recordTools = [readLogs, listArtifacts, getArtifact, listEvents];
