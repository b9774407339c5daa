/**
 * Measures the lists of events and of requests to MCP servers that people narrow: the page with its counts, and the
 * values of a field, for each chip.
 *
 *   node bench/narrowing/records.ts --database postgres --rows 1000000
 */
import { parseArgs } from 'node:util';
// biome-ignore lint/correctness/noUndeclaredDependencies: the workspace of the server has it.
import { sql } from 'kysely';
import { idAt } from '../../server/src/values/id.ts';
import { addSeconds, microsecondsOf, systemClock } from '../../server/src/values/time.ts';
import { type PlatformCaller, person } from '../../server/test/support/platform.ts';
import { vacuum } from '../../server/test/support/postgres.ts';
import { startServer, type TestServer } from '../../server/test/support/server.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '10' },
  },
});
const ROWS = Number(values.rows);
const BATCH = 20_000;
const SECONDS = 86_400;
const SERVERS = 5;
const now = systemClock.now();
const since = addSeconds(now, -SECONDS);

interface Chip {
  readonly field: string;
  readonly not?: boolean;
  readonly values: readonly string[];
}

const eventChips: Readonly<Record<string, readonly Chip[]>> = {
  none: [],
  'hide task runs': [{ field: 'task_runs', values: ['no'] }],
  'a frequent name': [{ field: 'event', values: ['prefect.flow-run.Completed'] }],
  'a rare name': [{ field: 'event', values: ['prefect.deployment.created'] }],
  'a rare beginning': [{ field: 'event', values: ['prefect.deployment.*'] }],
  'a name, none': [{ field: 'event', values: ['nothing.*'] }],
  'a resource': [{ field: 'resource', values: ['prefect.flow-run.77'] }],
  'a related one': [{ field: 'related', values: ['prefect.flow.7'] }],
  three: [
    { field: 'task_runs', values: ['no'] },
    { field: 'related', values: ['prefect.flow.7'] },
    { field: 'event', not: true, values: ['prefect.flow-run.Completed'] },
  ],
};

const requestChips: Readonly<Record<string, readonly Chip[]>> = {
  none: [],
  'hide protocol': [{ field: 'protocol', values: ['no'] }],
  'a tool': [{ field: 'tool', values: ['tool_7'] }],
  'a tool, none': [{ field: 'tool', values: ['nothing'] }],
  failed: [{ field: 'outcome', values: ['failed'] }],
  'a caller': [{ field: 'caller', values: ['ada-3'] }],
  'a server': [{ field: 'server', values: ['server-2'] }],
  three: [
    { field: 'server', values: ['server-2'] },
    { field: 'tool', not: true, values: ['tool_7'] },
    { field: 'outcome', values: ['failed'] },
  ],
};

const names = [
  ...Array.from({ length: 6 }, (_, index) => `prefect.task-run.${index % 3 === 0 ? 'Pending' : 'Completed'}`),
  'prefect.flow-run.Completed',
  'prefect.flow-run.Running',
  'prefect.flow-run.Pending',
  'prefect.worker.heartbeat',
];

function eventAt(index: number) {
  const occurred = addSeconds(now, -1 - (SECONDS * index) / ROWS);
  const event = index % 20_000 === 19_999 ? 'prefect.deployment.created' : names[index % names.length]!;
  const resource = `prefect.flow-run.${index % 50_000}`;
  const flow = `prefect.flow.${(index * 7) % 50}`;
  return {
    id: idAt(microsecondsOf(occurred)),
    occurred,
    event,
    resource_id: resource,
    resource: JSON.stringify({ 'prefect.resource.id': resource, 'prefect.resource.name': `run ${index % 50_000}` }),
    flow,
    related: JSON.stringify([{ 'prefect.resource.id': flow, 'prefect.resource.role': 'flow' }]),
  };
}

async function fillEvents(server: TestServer): Promise<void> {
  const types = { id: 'uuid', occurred: 'timestamp', event: 'text', resource_id: 'text', resource: 'text' } as const;
  for (let from = 0; from < ROWS; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, ROWS - from) }, (_, index) => eventAt(from + index));
    await server.context().transaction(async (tx) => {
      const item = tx.dialect.rowsFrom(JSON.stringify(rows), { ...types, flow: 'text', related: 'text' });
      const own = tx.dialect.typed(tx.workspace, 'integer');
      await tx.execute(
        sql`insert into event ("workspace", id, occurred, received, event, resource_id, resource, related, payload)
          select ${own}, id, occurred, occurred, event, resource_id, resource, related, '{}' from ${item} item`,
      );
      await tx.execute(
        sql`insert into event_resource ("workspace", resource_id, role, occurred, event_id)
          select ${own}, flow, 'flow', occurred, id from ${item} item`,
      );
    });
  }
}

function requestAt(index: number, servers: readonly string[]) {
  const occurred = addSeconds(now, -1 - (SECONDS * index) / ROWS);
  const isCall = index % 4 !== 0;
  return {
    server_id: servers[index % SERVERS]!,
    id: idAt(microsecondsOf(occurred)),
    occurred,
    actor_type: 'user',
    actor_id: `00000000-0000-4000-8000-00000000000${index % 9}`,
    actor_name: `ada-${index % 9}@example.com`,
    method: isCall ? 'tools/call' : 'tools/list',
    capability: isCall ? `tool_${index % 31}` : null,
    status: index % 50 === 1 ? 502 : 200,
    error_code: null,
    decision: index % 70 === 2 ? 'denied' : 'allowed',
    reason: 'access to the server',
    duration_microseconds: 1000 + ((index * 7919) % 90_000),
    request_bytes: 100,
    response_bytes: 200,
    session: null,
    client_name: 'claude',
    client_version: '1',
    protocol_version: '2025-06-18',
    source_id: null,
    failure: index % 50 === 1 ? 'connection' : null,
    failure_text: null,
    started_run_id: null,
  } as const;
}

async function fillRequests(server: TestServer, admin: PlatformCaller): Promise<void> {
  const servers: string[] = [];
  for (let index = 0; index < SERVERS; index++) {
    const slug = `server-${index}`;
    const given = { slug, name: slug, kind: 'external', external: { url: 'http://127.0.0.1:9/mcp' } };
    servers.push((await admin.post('/organizations/default/servers', given)).body.id);
  }
  for (let from = 0; from < ROWS; from += 2000) {
    const rows = Array.from({ length: Math.min(2000, ROWS - from) }, (_, index) => requestAt(from + index, servers));
    await server.server.store.platform.transaction((tx) => tx.insertAll('mcp_request', rows as never));
  }
}

async function report(name: string, ask: () => Promise<{ readonly status: number; readonly text: string }>) {
  const took: number[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const began = performance.now();
    const { status, text } = await ask();
    if (status !== 200) throw new Error(`${name}: ${status} ${text.slice(0, 300)}`);
    took.push(performance.now() - began);
  }
  took.sort((left, right) => left - right);
  const at = (part: number) => took[Math.min(took.length - 1, Math.floor(part * took.length))]!.toFixed(0);
  console.log(`${name.padEnd(36)} ${at(0.5).padStart(5)} / ${at(0.95).padStart(5)}`);
}

const database = values.database === 'postgres' ? 'postgres' : 'sqlite';
const server = await startServer({ database });
try {
  const admin = await person(server, 'ada@example.com', 'admin');
  await fillEvents(server);
  await fillRequests(server, admin);
  if (database === 'postgres') await vacuum(server.server.config.databaseUrl);
  await server.server.store.refreshStatistics();
  console.log(`${ROWS.toLocaleString('en')} rows each, ${database}; milliseconds, p50 / p95`);
  for (const [name, where] of Object.entries(eventChips)) {
    const filter = { since, where };
    await report(`events, ${name}: page`, () => server.post('/views/events', filter));
    await report(`events, ${name}: counts`, () => server.post('/views/events', { ...filter, interval_seconds: 900 }));
    await report(`events, ${name}: values`, () => server.post('/views/events/values', { ...filter, field: 'event' }));
  }
  for (const [name, where] of Object.entries(requestChips)) {
    const query = `since=${since}&where=${encodeURIComponent(JSON.stringify(where))}`;
    const views = '/organizations/default/views/requests';
    await report(`requests, ${name}: first page`, () => admin.get(`${views}?${query}`));
    await report(`requests, ${name}: values`, () => admin.get(`${views}/values?field=method&${query}`));
  }
} finally {
  await server.stop();
}
