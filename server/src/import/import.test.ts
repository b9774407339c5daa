import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { databases, databasesOfRun, startServer, type TestServer } from '../../test/support/server.ts';
import { ConfigError } from '../errors.ts';
import { newId } from '../id.ts';
import { addSeconds, type Timestamp } from '../time.ts';
import { ApiSource } from './api-source.ts';
import { runExport } from './export.ts';
import { FolderSource } from './folder-source.ts';
import { type Report, runImport } from './import.ts';
import { KINDS, type Kind, type Source, type SourceObject } from './source.ts';
import { Target } from './target.ts';

const RUNS = 60;
/** Runs of the source but the one that has not begun. */
const ended = { state: { type: { any_: ['COMPLETED', 'FAILED'] } } };
/** The lists that agree afterwards, with the bodies that ask for all of them. */
const lists: readonly [string, object][] = [
  ['/variables/filter', {}],
  ['/v2/concurrency_limits/filter', {}],
  ['/work_pools/filter', {}],
  ['/work_pools/pool/queues/filter', {}],
  ['/flows/filter', {}],
  ['/deployments/filter', {}],
  ['/artifacts/filter', { sort: 'ID_DESC' }],
  ['/artifacts/latest/filter', { sort: 'ID_DESC' }],
  ['/flow_runs/filter', { flow_runs: ended, sort: 'ID_DESC' }],
  ['/flow_runs/filter', { flow_runs: { tags: { all_: ['nightly'] } }, sort: 'ID_DESC' }],
  ['/task_runs/filter', { sort: 'ID_DESC' }],
  ['/logs/filter', { sort: 'TIMESTAMP_ASC' }],
];

describe('import from a server', () => {
  let source: TestServer;
  let url: string;
  let front: Server;
  let scratch: string;
  /** An export of the source, with secrets. */
  let exported: string;
  /** Requests that the source still answers; it breaks off the others. */
  let answersLeft = Number.POSITIVE_INFINITY;
  /** The source shows secrets that it is not asked for. */
  let showsSecrets = false;
  let runs: string[];
  let automation: string;

  before(async () => {
    source = await startServer();
    ({ runs, automation } = await fill(source));
    front = createServer(async (request, response) => {
      if (answersLeft-- <= 0) {
        response.writeHead(400).end('the source is away');
        return;
      }
      const body: Buffer[] = [];
      for await (const chunk of request) body.push(chunk);
      const headers = { 'content-type': 'application/json' };
      const sent = Buffer.concat(body).toString('utf8');
      const asked = showsSecrets ? sent.replace('"include_secrets":false', '"include_secrets":true') : sent;
      const text = body.length > 0 ? Buffer.from(asked) : undefined;
      const answer = await source.request(request.method ?? 'GET', request.url ?? '/', text, headers);
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text);
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(front.address() as AddressInfo).port}/api`;
    scratch = await mkdtemp(join(tmpdir(), 'signalbox-export-'));
    exported = join(scratch, 'whole');
    await write(exported, true);
  });
  const write = (folder: string, withSecrets: boolean) => {
    const now = source.context().now;
    const since = addSeconds(now, -86_400);
    const from = new ApiSource({ url, withSecrets });
    return runExport({ source: from, folder, withSecrets, since, now, onProgress: () => {} });
  };
  after(async () => {
    await rm(scratch, { recursive: true, force: true });
    front.close();
    await source.stop();
  });

  for (const database of databases) {
    describe(`into ${database}`, () => {
      let target: TestServer;
      beforeEach(async () => {
        answersLeft = Number.POSITIVE_INFINITY;
        target = await startServer({ database });
      });
      afterEach(() => target.stop());

      const bring = (
        given: Partial<Parameters<typeof runImport>[0]> & { days?: number; from?: Source } = {},
      ): Promise<Report> => {
        const { store, clock, defaultWorkspace, encryption, wakeUps } = target.server;
        return runImport({
          source: given.from ?? new ApiSource({ url }),
          target: new Target(store, clock, defaultWorkspace),
          encryption,
          wakeUps,
          since: addSeconds(clock.now(), -86_400 * (given.days ?? 30)),
          activates: given.activates ?? false,
          onProgress: given.onProgress ?? (() => {}),
        });
      };

      const everythingAgrees = async () => {
        for (const [path, body] of lists) {
          const [there, here] = await Promise.all([source.post(path, body), target.post(path, body)]);
          assert.equal(here.status, 200, here.text);
          assert.ok(there.body.length > 0, path);
          assert.deepEqual(withoutChanges(here.body), withoutChanges(there.body), path);
        }
        for (const id of runs.slice(0, 3)) {
          const path = `/flow_run_states/?flow_run_id=${id}`;
          assert.deepEqual((await target.get(path)).body, (await source.get(path)).body);
        }
        const events = { filter: { occurred: { since: '2020-01-01T00:00:00Z' }, event: { prefix: ['external.'] } } };
        assert.deepEqual(
          (await target.post('/events/filter', events)).body.events,
          (await source.post('/events/filter', events)).body.events,
        );
      };

      test('every list agrees afterwards, with ids and times', async () => {
        await bring({ activates: true });
        await everythingAgrees();
        const filter = { include_secrets: true };
        const [there] = (await source.post('/block_documents/filter', filter)).body;
        const [here] = (await target.post('/block_documents/filter', filter)).body;
        assert.equal(here.id, there.id);
        assert.deepEqual(here.data, { value: 'opensesame' });
        assert.equal((await target.post('/block_documents/filter', {})).body[0].data.value, '********');
      });

      test('every list agrees after an export to files and an import of them, which adds nothing twice', async () => {
        const from = await FolderSource.open(exported);
        await bring({ activates: true, from });
        await everythingAgrees();
        const filter = { include_secrets: true };
        const [secret] = (await target.post('/block_documents/filter', filter)).body;
        assert.deepEqual(secret.data, { value: 'opensesame' });
        const { objects } = await bring({ from: await FolderSource.open(exported) });
        for (const [kind, { added }] of Object.entries(objects)) assert.equal(added, 0, kind);
      });

      test('an import of files goes on where it was cut off, with each object once', async () => {
        const from = await FolderSource.open(exported);
        let batches = 0;
        const onProgress = (doing: string) => {
          if (doing.startsWith('runs') && ++batches === 2) throw new ConfigError('stopped');
        };
        await assert.rejects(bring({ from, onProgress }), /stopped/);
        assert.equal((await target.post('/flow_runs/count', {})).body, 50);
        await bring({ activates: true, from });
        await everythingAgrees();
      });

      test('an import that is cut off several times ends with each object once', async () => {
        let cuts = 0;
        for (let answers = 5; ; answers += 12) {
          answersLeft = answers;
          try {
            await bring();
            break;
          } catch (error) {
            assert.ok(error instanceof ConfigError, String(error));
            cuts++;
          }
        }
        assert.ok(cuts >= 5, `only ${cuts} cuts`);
        answersLeft = Number.POSITIVE_INFINITY;
        for (const path of ['/flow_runs/count', '/task_runs/count', '/flows/count', '/artifacts/count']) {
          const body = { flow_runs: ended };
          assert.equal((await target.post(path, body)).body, (await source.post(path, body)).body, path);
        }
      });

      test('schedules and automations arrive switched off until an import activates them, and runs that have not begun stay', async () => {
        const { remarks } = await bring();
        const deployment = async () => (await target.post('/deployments/filter', {})).body[0];
        assert.equal((await deployment()).schedules[0].active, false);
        assert.equal((await target.get(`/automations/${automation}`)).body.enabled, false);
        assert.match(
          remarks.join('\n'),
          /1 active schedules arrived inactive[\s\S]*1 enabled automations arrived disabled[\s\S]*1 runs that have not begun stay/,
        );
        const flow_runs = { state: { type: { any_: ['SCHEDULED'] } } };
        assert.deepEqual((await target.post('/flow_runs/filter', { flow_runs })).body, []);
        await bring({ activates: true });
        assert.equal((await deployment()).schedules[0].active, true);
        assert.equal((await target.get(`/automations/${automation}`)).body.enabled, true);
      });

      test('a flow that is here under the same name takes the runs', async () => {
        const { id } = (await target.post('/flows/', { name: 'pipeline' })).body;
        await bring();
        assert.equal((await target.post('/flows/count', {})).body, 1);
        assert.equal((await target.get(`/flow_runs/${runs[0]}`)).body.flow_id, id);
      });

      test('a second import adds nothing, and what is changed here stays as it is', async () => {
        await bring();
        await target.patch('/variables/name/region', { value: 'changed' });
        const { objects } = await bring();
        assert.equal(objects['flow runs']?.read, RUNS);
        for (const [kind, { added }] of Object.entries(objects)) assert.equal(added, 0, kind);
        assert.equal((await target.get('/variables/name/region')).body.value, 'changed');
      });

      if (databasesOfRun.includes(database))
        test('a field of another kind is taken, or refused with a sentence that names it', async () => {
          await bring();
          const whole = await everythingOf(
            await FolderSource.open(exported),
            addSeconds(source.context().now, -86_400),
          );
          for (const [kind, objects] of whole) {
            const [object = {}] = objects;
            for (const field of Object.keys(object)) {
              for (const wrong of WRONG) {
                const odd = { ...renamed(object), [field]: wrong };
                const done = bring({ activates: true, from: sourceOf(kind, odd, whole) });
                const error = await done.then(
                  () => undefined,
                  (thrown: unknown) => thrown,
                );
                if (error === undefined) continue;
                const name = `${kind}.${field}: ${JSON.stringify(wrong)}`;
                assert.ok(error instanceof ConfigError, `${name}: ${error instanceof Error ? error.stack : error}`);
                assert.match(error.message, new RegExp(`whose .*\\b${field}\\b`), name);
              }
            }
          }
        });

      test('one record that cannot be read does not keep the others away, and the report names it', async () => {
        const whole = await everythingOf(await FolderSource.open(exported), addSeconds(source.context().now, -86_400));
        const [run = {}] = whole.get('flow_runs') ?? [];
        const [log = {}] = whole.get('logs') ?? [];
        const logs = [
          { ...log, id: newId(), timestamp: 'yesterday', flow_run_id: run['id'] },
          { ...log, id: newId(), message: 'a\0b', flow_run_id: run['id'] },
        ];
        const odd = { ...renamed(run), start_time: 7 };
        const events = whole.get('events') ?? [];
        const from: Source = {
          ...sourceOf('flow_runs', run, whole),
          async *runs() {
            yield {
              ...{ runs: [odd, run], waiting: 0, states: async () => [[], []] },
              async *taskRuns() {},
              async *logs() {
                yield logs;
              },
            };
          },
          async *events() {
            yield [{ ...events[0], id: 'no id' }, ...events];
          },
        };
        await bring();
        const { objects, remarks } = await bring({ from });
        assert.equal(objects['logs']?.added, 1);
        assert.equal(objects['events']?.read, events.length);
        const found = await target.post('/logs/filter', { logs: { flow_run_id: { any_: [run['id']] } } });
        assert.ok(found.body.some(({ message }: { message: string }) => message === 'ab'));
        assert.deepEqual(
          remarks.filter((remark) => remark.includes('cannot be read stay')),
          ['flow run whose start_time', 'log whose timestamp', 'event whose id'].map((what) => {
            const kind = `${what.split(' whose')[0]}s`;
            return `1 ${kind} that cannot be read stay in the source. The first one: The source answered a ${what} cannot be read.`;
          }),
        );
      });

      test('only runs of the last days come', async () => {
        const { objects } = await bring({ days: 0 });
        assert.equal(objects['flow runs'], undefined);
        assert.equal(objects['flows']?.added, 1);
      });
    });
  }

  test('an export tells its counts, and has secrets only when they are asked for', async () => {
    const folder = join(scratch, 'plain');
    const { files, waiting } = await write(folder, false);
    assert.deepEqual(
      [files.flow_runs.lines, files.task_runs.lines, files.logs.lines, files.block_documents.lines, waiting],
      [RUNS, RUNS, RUNS, 1, 1],
    );
    for (const name of await readdir(folder)) {
      const text = await readFile(join(folder, name), 'utf8');
      assert.ok(!text.includes('opensesame'), name);
      const lines = text.split('\n').length - 1;
      if (name.endsWith('.jsonl')) assert.equal(lines, files[name.slice(0, -6) as 'logs'].lines, name);
    }
    assert.equal(statSync(folder).mode & 0o077, 0);
    await assert.rejects(write(folder, false), /exists already/);
  });

  test('an export without secrets has none of any shape, also where the source shows them', async () => {
    const shapes: Record<string, unknown> = {
      text: 'canary',
      number: 7_364_112,
      truth: true,
      list: ['canary', { deep: 'canary' }],
      object: { key: 'canary', deep: { list: ['canary'] } },
    };
    const { body: type } = await source.post('/block_types/', { name: 'Shapes', slug: 'shapes' });
    const secret_fields = [...Object.keys(shapes), 'open.*', 'rows.password', 'deep.inner.key'];
    const fields = { title: 'Shapes', type: 'object', properties: {}, secret_fields };
    const schema = (await source.post('/block_schemas/', { fields, block_type_id: type.id })).body;
    const inner = { name: 'inner', data: shapes, block_type_id: type.id, block_schema_id: schema.id };
    const { body: made } = await source.post('/block_documents/', inner);
    const data = {
      ...shapes,
      open: { any: 'canary', more: { key: 'canary' } },
      rows: [{ user: 'ada', password: 'canary' }],
      deep: { inner: { key: { list: ['canary'] } } },
      shown: { plain: 'seen' },
      none: null,
      other: { $ref: { block_document_id: made.id } },
    };
    const { status, text } = await source.post('/block_documents/', { ...inner, name: 'outer', data });
    assert.equal(status, 201, text);
    const folder = join(scratch, 'shapes');
    showsSecrets = true;
    await write(folder, false).finally(() => {
      showsSecrets = false;
    });
    for (const name of await readdir(folder)) {
      assert.doesNotMatch(await readFile(join(folder, name), 'utf8'), /canary|7364112/, name);
    }
    const lines = (await readFile(join(folder, 'block_documents.jsonl'), 'utf8')).trim().split('\n');
    const outer = lines.map((line) => JSON.parse(line)).find(({ name }) => name === 'outer');
    assert.deepEqual(
      [outer.data.shown, outer.data.rows, outer.data.truth],
      [{ plain: 'seen' }, [{ user: 'ada', password: '********' }], '********'],
    );
    for (const name of ['outer', 'inner']) {
      const found = (await source.get(`/block_types/slug/shapes/block_documents/name/${name}`)).body;
      await source.delete(`/block_documents/${found.id}`);
    }
  });

  test('an export that fails leaves no folder, and one that was changed is refused', async () => {
    const folder = join(scratch, 'broken');
    answersLeft = 30;
    await assert.rejects(write(folder, false), /the source is away/);
    answersLeft = Number.POSITIVE_INFINITY;
    assert.deepEqual(
      (await readdir(scratch)).filter((name) => name.startsWith('broken')),
      [],
    );
    await write(folder, false);
    await appendFile(join(folder, 'logs.jsonl'), '{}\n');
    await assert.rejects(FolderSource.open(folder), /logs\.jsonl of the export .* has changed/);
    await rm(join(folder, 'logs.jsonl'));
    await assert.rejects(FolderSource.open(folder), /lacks its file logs\.jsonl/);
    await assert.rejects(FolderSource.open(scratch), /is not an export/);
  });

  test('a dry run counts', async () => {
    answersLeft = Number.POSITIVE_INFINITY;
    const found = await new ApiSource({ url }).counts(addSeconds(source.context().now, -86_400));
    assert.equal(found['flows'], 1);
    assert.equal(found['flow runs'], RUNS + 1);
  });

  test('an address that is not an API is refused with a sentence', async () => {
    assert.throws(() => new ApiSource({ url: 'localhost:4200' }), /is not the address of an API/);
  });
});

const WRONG: readonly unknown[] = ['text', 7.5, [null]];

type PartOfRun = 'flow_runs' | 'flow_run_states' | 'task_runs' | 'logs' | 'background_task_runs' | 'events';
type Whole = ReadonlyMap<Kind | PartOfRun, readonly SourceObject[]>;

async function everythingOf(source: Source, since: Timestamp): Promise<Whole> {
  const whole = new Map<Kind | PartOfRun, SourceObject[]>();
  const take = (kind: Kind | PartOfRun, objects: readonly SourceObject[]) =>
    whole.set(kind, [...(whole.get(kind) ?? []), ...objects]);
  const until = addSeconds(since, 10 * 86_400);
  for (const kind of KINDS) for await (const page of source.objects(kind)) take(kind, page);
  for await (const batch of source.runs(since, until)) {
    take('flow_runs', batch.runs);
    take('flow_run_states', (await batch.states()).flat());
    for await (const page of batch.taskRuns()) take('task_runs', page);
    for await (const page of batch.logs()) take('logs', page);
  }
  for await (const page of source.events(since, until)) take('events', page);
  const [taskRun = {}] = whole.get('task_runs') ?? [];
  return whole.set('background_task_runs', [{ ...taskRun, flow_run_id: null }]);
}

/** The same object once more, under names of its own. */
function renamed(object: SourceObject): SourceObject {
  const id = newId();
  const own = Object.keys(object).filter((field) => ['name', 'key', 'slug', 'tag', 'idempotency_key'].includes(field));
  return {
    ...object,
    id,
    ...Object.fromEntries(own.map((field) => [field, `${String(object[field])}-${id.slice(-12)}`])),
  };
}

/** A source with one object, and the run around it where it belongs to one. */
function sourceOf(kind: Kind | PartOfRun, object: SourceObject, whole: Whole): Source {
  const one = async function* (wanted: string) {
    if (wanted === kind) yield [object];
  };
  const [known = {}] = whole.get('flow_runs') ?? [];
  return {
    name: 'one object',
    async *objects(wanted) {
      if (kind.startsWith('block_') && wanted.startsWith('block_') && wanted !== kind) yield whole.get(wanted) ?? [];
      else yield* one(wanted);
    },
    async *runs() {
      if (!['flow_runs', 'flow_run_states', 'task_runs', 'logs'].includes(kind)) return;
      const states = async () => [kind === 'flow_run_states' ? [object] : []];
      const runs = [kind === 'flow_runs' ? object : known];
      yield { runs, waiting: 0, states, taskRuns: () => one('task_runs'), logs: () => one('logs') };
    },
    backgroundTaskRuns: () => one('background_task_runs'),
    events: () => one('events'),
    runCount: async () => 1,
    counts: async () => ({}),
  };
}

/** The server of the import announces no worker and polls no queue, so pools are not ready there. */
function withoutChanges(objects: readonly Record<string, unknown>[]): unknown {
  return objects.map(({ status: _status, last_polled: _polled, ...rest }) => rest).sort(byId);
}

function byId(left: Record<string, unknown>, right: Record<string, unknown>): number {
  return String(left['id']) < String(right['id']) ? -1 : 1;
}

async function fill(server: TestServer): Promise<{ runs: string[]; automation: string }> {
  const make = async (path: string, body: object) => {
    const answer = await server.post(path, body);
    assert.ok(answer.status < 300, `${path}: ${answer.text}`);
    return answer.body;
  };
  await make('/variables/', { name: 'region', value: { ratio: 1, list: [1, 'a'] }, tags: ['geo'] });
  await make('/v2/concurrency_limits/', { name: 'database', limit: 3, slot_decay_per_second: 0.5 });
  await make('/work_pools/', { name: 'pool', type: 'process', concurrency_limit: 4 });
  await make('/work_pools/pool/queues', { name: 'high', priority: 1 });
  const { id: flow_id } = await make('/flows/', { name: 'pipeline', tags: ['etl'], labels: { team: 'data' } });
  const deployment = await make('/deployments/', {
    name: 'nightly',
    flow_id,
    work_pool_name: 'pool',
    work_queue_name: 'high',
    parameters: { n: 1 },
    concurrency_limit: 2,
    schedules: [{ schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin' }, active: true, slug: 'night' }],
  });
  const { id: automation } = await make('/automations/', {
    name: 'again',
    trigger: { type: 'event', posture: 'Reactive', expect: ['prefect.flow-run.Failed'], threshold: 1, within: 0 },
    actions: [{ type: 'run-deployment', source: 'selected', deployment_id: deployment.id }],
  });
  const type = (await server.get('/block_types/slug/secret')).body;
  const [schema] = await make('/block_schemas/filter', { block_schemas: { block_type_id: { any_: [type.id] } } });
  const data = { value: 'opensesame' };
  await make('/block_documents/', { name: 'token', data, block_type_id: type.id, block_schema_id: schema.id });
  const runs: string[] = [];
  for (let index = 0; index < RUNS; index++) {
    const run = await make('/flow_runs/', {
      flow_id,
      name: `run-${index}`,
      tags: ['nightly'],
      parameters: { n: index },
    });
    runs.push(run.id);
    const task = { flow_run_id: run.id, task_key: 'load', dynamic_key: '0', tags: ['slow'] };
    const { id: task_run_id } = await make('/task_runs/', { ...task, state: { type: 'RUNNING' } });
    await make(`/task_runs/${task_run_id}/set_state`, { state: { type: 'COMPLETED' }, force: true });
    for (const state of [{ type: 'RUNNING' }, { type: index % 5 ? 'COMPLETED' : 'FAILED', message: 'the end' }]) {
      await make(`/flow_runs/${run.id}/set_state`, { state, force: true });
    }
    const timestamp = server.context().now;
    await make('/logs/', [
      { name: 'prefect', level: 20, message: `line of ${index}`, timestamp, flow_run_id: run.id, task_run_id },
    ]);
  }
  await make('/artifacts/', { key: 'report', type: 'markdown', data: '# Report', flow_run_id: runs[0] });
  await make('/artifacts/', { key: 'report', type: 'markdown', data: '# Second', flow_run_id: runs[1] });
  await make('/flow_runs/', { flow_id, state: { type: 'SCHEDULED' } });
  const occurred = server.context().now;
  const resource = { 'prefect.resource.id': 'shop.order.1' };
  const related = [{ 'prefect.resource.id': 'shop.customer.1', 'prefect.resource.role': 'customer' }];
  const event = { id: newId(), occurred, event: 'external.ordered', resource, related, payload: { total: 1.5 } };
  await make('/events', [event]);
  return { runs, automation };
}
