import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { fillSource, frontOf, RUNS } from '../../../test/support/import-source.ts';
import { databases, databasesOfRun, startServer, type TestServer } from '../../../test/support/server.ts';
import { ConfigError } from '../../errors.ts';
import { newId } from '../../values/id.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';
import { runExport } from './export.ts';
import { type Report, runImport } from './import.ts';
import { ApiSource } from './sources/api-source.ts';
import { FolderSource } from './sources/folder-source.ts';
import { KINDS, type Kind, type Source, type SourceObject } from './sources/source.ts';
import { Target } from './target.ts';

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
  let front: Awaited<ReturnType<typeof frontOf>>;
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
    ({ runs, automation } = await fillSource(source));
    front = await frontOf(
      source,
      (_request, response) => {
        if (answersLeft-- > 0) return false;
        response.writeHead(400).end('the source is away');
        return true;
      },
      (body) => (showsSecrets ? body.replace('"include_secrets":false', '"include_secrets":true') : body),
    );
    url = front.url;
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
        const { store, clock, defaultWorkspace, encryption, hub } = target.server;
        return runImport({
          source: given.from ?? new ApiSource({ url }),
          target: new Target(store, clock, defaultWorkspace),
          encryption,
          hub,
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
        const { remarks, left } = await bring();
        const deployment = async () => (await target.post('/deployments/filter', {})).body[0];
        assert.equal((await deployment()).schedules[0].active, false);
        assert.equal((await target.get(`/automations/${automation}`)).body.enabled, false);
        assert.match(remarks.join('\n'), /1 schedule and 1 automation that are active in the source are inactive here/);
        assert.deepEqual(
          left.map(({ what, count }) => [what, count]),
          [['flow runs that are scheduled or overdue', 1]],
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
              ...{ runs: [odd, run], states: async () => [[], []], async *inputs() {} },
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
          remarks.filter((remark) => remark.includes('cannot be read and were not imported')),
          ['flow run whose start_time', 'log whose timestamp', 'event whose id'].map((what) => {
            const kind = `${what.split(' whose')[0]}s`;
            return `1 ${kind} cannot be read and were not imported. The first one: The source returned a ${what} cannot be read.`;
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
      [RUNS + 1, RUNS, RUNS, 1, 1],
    );
    for (const name of await readdir(folder)) {
      const text = await readFile(join(folder, name), 'utf8');
      assert.ok(!text.includes('opensesame'), name);
      const lines = text.split('\n').length - 1;
      if (name.endsWith('.jsonl')) assert.equal(lines, files[name.slice(0, -6) as 'logs'].lines, name);
    }
    assert.equal(statSync(folder).mode & 0o077, 0);
    await assert.rejects(write(folder, false), /already exists/);
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
      yield {
        runs,
        states,
        inputs: () => one('flow_run_inputs'),
        taskRuns: () => one('task_runs'),
        logs: () => one('logs'),
      };
    },
    backgroundTaskRuns: () => one('background_task_runs'),
    events: () => one('events'),
    async *waitingRuns() {},
    remarks: [],
    runCount: async () => 1,
    earlierRunCount: async () => 0,
    marker: async () => undefined,
  };
}

/** The server of the import announces no worker and polls no queue, so pools are not ready there. */
function withoutChanges(objects: readonly Record<string, unknown>[]): unknown {
  return objects.map(({ status: _status, last_polled: _polled, ...rest }) => rest).sort(byId);
}

function byId(left: Record<string, unknown>, right: Record<string, unknown>): number {
  return String(left['id']) < String(right['id']) ? -1 : 1;
}
