import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { clientEvent } from '../../../test/support/events.ts';
import { fillSource, frontOf, RUNS } from '../../../test/support/import-source.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { WorkspaceRetention } from '../../services/old-rows/retention.ts';
import { Triggers } from '../../services/triggers.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';
import { type Report, runImport } from './import.ts';
import { ApiSource } from './sources/api-source.ts';
import type { Source, SourceObject } from './sources/source.ts';
import { Target } from './target.ts';

const DAY = 86_400;
const KEPT = { events: 7 * DAY, flow_runs: 90 * DAY };

describe('moving to Signalbox', () => {
  let source: TestServer;
  let front: Awaited<ReturnType<typeof frontOf>>;
  before(async () => {
    source = await startServer();
    await fillSource(source);
    front = await frontOf(source);
  });
  after(async () => {
    front.close();
    await source.stop();
  });

  for (const database of databases) {
    describe(`on ${database}`, () => {
      let target: TestServer;
      beforeEach(async () => {
        target = await startServer({ database });
      });
      afterEach(() => target.stop());

      const bring = (given: { activates?: boolean; isDry?: boolean; from?: Source } = {}): Promise<Report> => {
        const { store, clock, defaultWorkspace, encryption, hub } = target.server;
        return runImport({
          source: given.from ?? new ApiSource({ url: front.url }),
          target: new Target(store, clock, defaultWorkspace, { isDry: given.isDry ?? false, kept: KEPT }),
          encryption,
          hub,
          since: addSeconds(clock.now(), -300 * DAY),
          activates: given.activates ?? false,
          onProgress: () => {},
        });
      };

      test('a dry run tells what the import does, and changes nothing', async () => {
        await target.post('/flows/', { name: 'pipeline' });
        await target.post('/variables/', { name: 'region', value: 1 });
        for (const activates of [false, true]) {
          const before = (await target.post('/flow_runs/count', {})).body;
          const foreseen = await bring({ isDry: true, activates });
          assert.equal((await target.post('/flow_runs/count', {})).body, before);
          assert.equal((await target.post('/deployments/count', {})).body, activates ? 1 : 0);
          const done = await bring({ activates });
          const { objects } = done;
          for (const kind of ['states of flow runs', 'logs']) delete (objects as Record<string, unknown>)[kind];
          assert.deepEqual(foreseen.objects, objects);
          assert.deepEqual(foreseen.left, done.left);
          assert.equal(foreseen.remarks.length, done.remarks.length, foreseen.remarks.join('\n'));
          assert.equal(objects['variables']?.added, 0);
        }
      });

      test('a second import tells what it activated, and what a person switched off here stays off', async () => {
        await bring();
        const { objects, remarks } = await bring({ activates: true });
        assert.deepEqual(objects['schedules'], { read: 1, added: 0, changed: 1 });
        assert.deepEqual(objects['automations'], { read: 1, added: 0, changed: 1 });
        assert.match(remarks.join('\n'), /1 schedule and 1 automation are now active here\./);
        assert.doesNotMatch(remarks.join('\n'), /inactive|already existed here/);

        const again = await bring();
        assert.doesNotMatch(again.remarks.join('\n'), /inactive here|are now active/);
        assert.match(again.remarks.join('\n'), /Everything that the source returned already existed here/);

        const [deployment] = (await target.post('/deployments/filter', {})).body;
        const [automation] = (await target.post('/automations/filter', {})).body;
        await target.patch(`/deployments/${deployment.id}/schedules/${deployment.schedules[0].id}`, { active: false });
        await target.patch(`/automations/${automation.id}`, { enabled: false });
        const third = await bring({ activates: true });
        assert.equal((await target.get(`/deployments/${deployment.id}`)).body.schedules[0].active, false);
        assert.equal((await target.get(`/automations/${automation.id}`)).body.enabled, false);
        assert.match(third.remarks.join('\n'), /2 schedules and automations .* were switched off or changed here/);
      });

      test('an automation that an import activates fires in a server that has known it as inactive', async () => {
        await bring();
        const triggers = new Triggers();
        const evaluate = async () => {
          while (await triggers.runOnce(target.context()));
        };
        await evaluate();
        await bring({ activates: true });
        await target.post('/events', [
          clientEvent({ event: 'prefect.flow-run.Failed', occurred: target.context().now }),
        ]);
        await evaluate();
        const filter = { event: { name: ['prefect.automation.triggered'] } };
        assert.equal((await target.post('/events/filter', { filter })).body.total, 1);
      });

      test('a run that somebody scheduled comes when the import activates, once', async () => {
        const { left } = await bring();
        assert.deepEqual(
          left.map(({ what, count }) => [what, count]),
          [['flow runs that are scheduled or overdue', 1]],
        );
        await bring({ activates: true });
        await bring({ activates: true });
        const flow_runs = { name: { any_: ['one-off'] } };
        const [there] = (await source.post('/flow_runs/filter', { flow_runs })).body;
        const here = (await target.post('/flow_runs/filter', { flow_runs })).body;
        assert.deepEqual(
          here.map(({ id, state }: SourceObject) => [id, (state as SourceObject)['type']]),
          [[there.id, 'SCHEDULED']],
        );
      });

      test('runs that schedules made ahead stay, overdue ones and paused ones come, pending ones are told', async () => {
        const flow = (await target.post('/flows/', { name: 'pipeline' })).body;
        const [first] = (await source.post('/flow_runs/filter', { flow_runs: { name: { any_: ['one-off'] } } })).body;
        const now = target.context().now;
        const run = (name: string, type: string, more: object) => ({
          ...first,
          flow_id: flow.id,
          id: `00000000-0000-4000-8000-${String(name.length).padStart(12, '0')}`,
          name,
          state_type: type,
          state: { ...first.state, id: `10000000-0000-4000-8000-${String(name.length).padStart(12, '0')}`, type },
          ...more,
        });
        const tomorrow = addSeconds(now, DAY);
        const yesterday = addSeconds(now, -DAY);
        const waiting = [
          run('ahead', 'SCHEDULED', { auto_scheduled: true, next_scheduled_start_time: tomorrow }),
          run('overdue', 'SCHEDULED', { auto_scheduled: true, next_scheduled_start_time: yesterday }),
          run('retried-later', 'SCHEDULED', {
            auto_scheduled: true,
            run_count: 1,
            next_scheduled_start_time: tomorrow,
          }),
          run('pending-here', 'PENDING', {}),
        ];
        const from = sourceOfRuns([], waiting);
        const { left, remarks } = await bring({ activates: true, from });
        const names = (await target.post('/flow_runs/filter', { sort: 'NAME_ASC' })).body.map(
          ({ name }: { name: string }) => name,
        );
        assert.deepEqual(names, ['overdue', 'retried-later']);
        assert.deepEqual(
          left.map(({ what, count }) => [what, count]),
          [
            ['flow runs that schedules made ahead', 1],
            ['flow runs that are pending', 1],
          ],
        );
        assert.match(remarks.join('\n'), /1 overdue flow run starts here/);
      });

      test('a run that was to start here, and began in the source instead, is as it is there', async () => {
        await bring({ activates: true });
        const flow_runs = { name: { any_: ['one-off'] } };
        const [scheduled] = (await source.post('/flow_runs/filter', { flow_runs })).body;
        const began = {
          ...scheduled,
          updated: addSeconds(target.context().now, 60),
          state_type: 'COMPLETED',
          state: {
            ...scheduled.state,
            id: '20000000-0000-4000-8000-000000000000',
            type: 'COMPLETED',
            name: 'Completed',
          },
        };
        const { objects } = await bring({ from: sourceOfRuns([began], []) });
        assert.deepEqual(objects['flow runs'], { read: 1, added: 0, changed: 1 });
        assert.equal((await target.get(`/flow_runs/${scheduled.id}`)).body.state_type, 'COMPLETED');
      });

      test('the age of what came counts from the import, and the report says until when it is kept', async () => {
        const flow = (await target.post('/flows/', { name: 'pipeline' })).body;
        const [first] = (
          await source.post('/flow_runs/filter', { flow_runs: { state: { type: { any_: ['COMPLETED'] } } }, limit: 1 })
        ).body;
        const { events } = (await source.post('/events/filter', { filter: { event: { prefix: ['external.'] } } })).body;
        const now = target.context().now;
        const old = {
          ...first,
          flow_id: flow.id,
          end_time: addSeconds(now, -200 * DAY),
          expected_start_time: addSeconds(now, -200 * DAY),
        };
        const from = {
          ...sourceOfRuns([old], []),
          async *events() {
            yield [{ ...events[0], occurred: addSeconds(now, -30 * DAY) }];
          },
        };
        const { remarks } = await bring({ from });
        assert.match(
          remarks.join('\n'),
          /1 flow run of this import is older than the 90 days .* no flow runs and logs before 20\d\d-/,
        );
        assert.match(remarks.join('\n'), /1 event of this import is older than the 7 days/);

        const passAt = async (when: Timestamp) => {
          const context = { ...target.context(), now: when };
          while (await new WorkspaceRetention().runOnce(context));
          const run = await target.get(`/flow_runs/${first.id}`);
          const found = await target.post('/events/filter', {
            filter: { occurred: { since: '2020-01-01T00:00:00Z' }, event: { prefix: ['external.'] } },
          });
          return [run.status, found.body.events.length];
        };
        assert.deepEqual(await passAt(addSeconds(now, 3600)), [200, 1]);
        assert.deepEqual(await passAt(addSeconds(now, 10 * DAY)), [200, 0]);
        assert.deepEqual(await passAt(addSeconds(now, 89 * DAY)), [200, 0]);
        assert.deepEqual(await passAt(addSeconds(now, 91 * DAY)), [404, 0]);
      });

      test('repeated imports of young runs do not keep the old ones for ever', async () => {
        const flow = (await target.post('/flows/', { name: 'pipeline' })).body;
        const [first] = (
          await source.post('/flow_runs/filter', { flow_runs: { state: { type: { any_: ['COMPLETED'] } } }, limit: 1 })
        ).body;
        const now = target.context().now;
        const young = { ...first, flow_id: flow.id, end_time: addSeconds(now, -DAY) };
        await bring({ from: sourceOfRuns([young], []) });
        while (await new WorkspaceRetention().runOnce({ ...target.context(), now: addSeconds(now, 89.5 * DAY) }));
        assert.equal((await target.get(`/flow_runs/${first.id}`)).status, 404);
      });

      test('an import of a workspace into itself is refused, by another name and in a dry run too', async () => {
        const itself = await frontOf(target);
        for (const isDry of [false, true]) {
          const from = new ApiSource({ url: itself.url.replace('127.0.0.1', 'localhost') });
          await assert.rejects(
            bring({ from, isDry }),
            /localhost:\d+\/api is the workspace that the import would fill/,
          );
        }
        itself.close();
        assert.deepEqual((await target.get('/views/import')).body, { id: null });
        assert.equal((await bring()).objects['flow runs']?.added, RUNS);
      });

      test('a variable that is null comes', async () => {
        const from: Source = {
          ...sourceOfRuns([], []),
          async *objects(kind) {
            if (kind === 'variables')
              yield [
                {
                  id: '30000000-0000-4000-8000-000000000000',
                  created: '2026-01-01T00:00:00Z',
                  updated: '2026-01-01T00:00:00Z',
                  name: 'nothing',
                  value: null,
                  tags: [],
                },
              ];
          },
        };
        await bring({ from });
        assert.equal((await target.get('/variables/name/nothing')).body.value, null);
      });
    });
  }
});

/** A source with these runs, and nothing else. */
function sourceOfRuns(begun: readonly SourceObject[], waiting: readonly SourceObject[]): Source {
  const batchOf = async function* (runs: readonly SourceObject[]) {
    if (runs.length === 0) return;
    const states = async () => runs.map(({ state }) => [state as SourceObject]);
    yield { runs, states, async *taskRuns() {}, async *logs() {}, async *inputs() {} };
  };
  return {
    name: 'some runs',
    remarks: [],
    async *objects() {},
    runs: () => batchOf(begun),
    waitingRuns: () => batchOf(waiting),
    async *backgroundTaskRuns() {},
    async *events() {},
    runCount: async () => begun.length,
    earlierRunCount: async () => 0,
    marker: async () => undefined,
  };
}
