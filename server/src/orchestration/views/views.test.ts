import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { failureCauses } from '../../services/failure-causes.ts';
import { newId } from '../../values/id.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';

const traceback = `Encountered exception during execution: KeyError('x')
Traceback (most recent call last):
  File "/venv/lib/python3.12/site-packages/prefect/task_engine.py", line 1, in run
    yield self
  File "/app/load.py", line 7, in load
    return rows['x']
KeyError: 'x'`;

interface Run {
  readonly id: string;
  readonly name: string;
  readonly state_type: string | null;
  readonly start_time: string | null;
  readonly expected_start_time: string | null;
  readonly run_time: number;
}

for (const database of databases) {
  describe(`the views of the dashboard on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    let made = 0;
    const newFlow = async (name = `flow ${++made}`) => (await server.post('/flows/', { name })).body.id as string;
    const now = () => server.context().now;
    const newRun = async (flow_id: string, more: object = {}) =>
      (await server.post('/flow_runs/', { flow_id, ...more })).body as { id: string; name: string };
    const setState = async (kind: 'flow_runs' | 'task_runs', id: string, state: object) => {
      const { status, text } = await server.post(`/${kind}/${id}/set_state`, { state, force: true });
      assert.equal(status, 201, text);
    };
    const ended = async (flow_id: string, type: string, more: object = {}, message?: string) => {
      const run = await newRun(flow_id, { state: { type: 'PENDING' }, ...more });
      await setState('flow_runs', run.id, { type: 'RUNNING' });
      await setState('flow_runs', run.id, { type, ...(message ? { message } : {}) });
      return run;
    };
    const newTask = async (flow_run_id: string, name: string, state: object = { type: 'PENDING' }, task_inputs = {}) =>
      (
        await server.post('/task_runs/', {
          flow_run_id,
          name,
          task_key: name,
          dynamic_key: newId(),
          state,
          task_inputs,
        })
      ).body as {
        id: string;
      };
    const home = async () => {
      const { status, body, text } = await server.get('/views/home?seconds=3600');
      assert.equal(status, 200, text);
      return body;
    };

    test('home lists the causes of failures, newest first, and counts all runs that failed', async () => {
      const flow = await newFlow('breaking');
      for (const id of [1, 2, 3]) {
        await ended(flow, 'FAILED', {}, `Flow run encountered an exception: KeyError: 'customer ${id}' is missing`);
      }
      await ended(flow, 'CRASHED', {}, 'Flow run infrastructure exited with non-zero status code 137.');
      await failureCauses.runOnce(server.context());
      const { causes, cause_count, failed } = await home();
      assert.equal(failed, 4);
      assert.deepEqual(
        causes.map((cause: { cause: string; count: number }) => [cause.cause, cause.count]),
        [
          ['Flow run infrastructure exited with non-zero status code ….', 1],
          ['KeyError: … is missing', 3],
        ],
      );
      assert.equal(cause_count, 2);
      assert.equal(causes[1].flow_name, 'breaking');
    });

    test('home names the automations that could not act, with the reason', async () => {
      const trigger = { type: 'event', posture: 'Reactive', expect: ['never.seen'], threshold: 1, within: 0 };
      const { body: made } = await server.post('/automations/', {
        name: 'tells',
        trigger,
        actions: [{ type: 'do-nothing' }],
      });
      const failed = (id: string, reason: string) => ({
        id: newId(),
        occurred: now(),
        event: 'prefect.automation.action.failed',
        resource: { 'prefect.resource.id': `prefect.automation.${id}`, 'prefect.resource.name': 'tells' },
        payload: { reason },
      });
      const gone = newId();
      assert.equal(
        (
          await server.post('/events', [
            failed(made.id, 'first'),
            failed(gone, 'of none'),
            failed(made.id, 'The target is private.'),
          ])
        ).status,
        204,
      );
      const { failed_actions } = await home();
      assert.deepEqual(
        failed_actions.map(({ automation_name, count }: { automation_name: string; count: number }) => [
          automation_name,
          count,
        ]),
        [['tells', 2]],
      );
      assert.ok(['first', 'The target is private.'].includes(failed_actions[0].last_failure));
    });

    test('home shows why a run is late, upcoming runs and totals', async () => {
      const flow = await newFlow('waiting');
      const scheduled = (seconds: number, name?: string) => ({
        state: { type: 'SCHEDULED', name, state_details: { scheduled_time: addSeconds(now(), seconds) } },
      });
      const late = await newRun(flow, scheduled(-600, 'Late'));
      const next = await newRun(flow, scheduled(600));
      const view = await home();
      assert.equal(view.stuck_count, 1);
      assert.equal(view.stuck[0].run.id, late.id);
      assert.ok(view.stuck[0].run.lateness >= 600);
      assert.equal(view.stuck[0].reasons[0].code, 'no_deployment');
      assert.deepEqual(
        view.upcoming.map((run: { id: string }) => run.id),
        [next.id],
      );
      assert.ok(
        view.now.some((row: { state_name: string; count: number }) => row.state_name === 'Late' && row.count === 1),
      );
      assert.equal(view.history.length, 48);
      assert.ok(view.flows >= 2);
    });

    test('a page of runs names flow and deployment, counts, and continues where the last page ended', async () => {
      const flow = await newFlow('paged');
      const { body: deployment } = await server.post('/deployments/', { flow_id: flow, name: 'nightly' });
      const made: string[] = [];
      for (const type of ['COMPLETED', 'FAILED', 'COMPLETED', 'CRASHED', 'COMPLETED']) {
        made.push((await ended(flow, type, { name: `paged ${made.length % 3}` })).id);
      }
      const { body: own } = await server.post(`/deployments/${deployment.id}/create_flow_run`, {});
      const unstarted = await newRun(flow, { state: null });
      const all = new Set([...made, own.id, unstarted.id]);
      const end = addSeconds(now(), 60);
      const history = { start: addSeconds(now(), -3600), end, intervals: 12 };
      const keys: Record<string, (run: Run) => string | number> = {
        START_TIME: ({ start_time, expected_start_time }) => start_time ?? expected_start_time ?? '',
        NAME: ({ name }) => name,
        RUN_TIME: ({ run_time }) => run_time,
        STATE: ({ state_type }) => state_type ?? '',
      };
      for (const sort of Object.keys(keys).flatMap((key) => [`${key}_ASC`, `${key}_DESC`])) {
        const seen: Run[] = [];
        let after: object | null = null;
        let counted: { count: number; history: { states: { count_runs: number }[] }[] } | undefined;
        do {
          const { status, body, text } = await server.post('/views/runs', {
            flows: { name: { any_: ['paged'] } },
            sort,
            limit: 2,
            after,
            history: after === null ? history : null,
          });
          assert.equal(status, 200, text);
          if (after === null) counted = body;
          else assert.equal(body.count, null);
          seen.push(...body.runs);
          for (const run of body.runs) {
            assert.equal(run.flow_name, 'paged');
            assert.equal(run.deployment_name, run.id === own.id ? 'nightly' : null);
          }
          after = body.next;
        } while (after !== null);
        assert.equal(seen.length, 7, sort);
        assert.deepEqual(new Set(seen.map(({ id }) => id)), all, sort);
        const [, key = '', direction] = /^(.*)_(ASC|DESC)$/.exec(sort) ?? [];
        // Runs without a state come last in both directions.
        const values = seen.map((run) => keys[key]!(run)).filter((value) => key !== 'STATE' || value !== '');
        const sorted = values.toSorted((left, right) => (left < right ? -1 : left > right ? 1 : 0));
        assert.deepEqual(values, direction === 'ASC' ? sorted : sorted.toReversed(), sort);
        assert.equal(counted?.count, 7);
        const inHistory = counted?.history
          .flatMap(({ states }) => states)
          .reduce((sum, { count_runs }) => sum + count_runs, 0);
        assert.ok(inHistory !== undefined && inHistory >= 6, String(inHistory));
      }
    });

    test('an out-of-range value in a request for runs is refused by the name of its field', async () => {
      for (const [body, field] of [
        [{ limit: 201 }, 'limit'],
        [{ sort: 'SIDEWAYS' }, 'sort'],
        [{ sort: 'NAME_ASC', after: { start: now(), id: newId() } }, 'name'],
        [{ sort: 'STATE_ASC', after: { start: now(), id: newId() } }, 'state_type'],
        [{ after: { start: 'yesterday', id: newId() } }, 'after'],
        [{ history: { start: now(), end: now(), intervals: 1000 } }, 'history'],
      ] as const) {
        const { status, text } = await server.post('/views/runs', body);
        assert.equal(status, 422, text);
        assert.match(text, new RegExp(`"${field}"`));
      }
    });

    test('a failed run names the task that failed first, the line of user code and the changes since the last success', async () => {
      const flow = await newFlow('explained');
      const good = await ended(flow, 'COMPLETED', { parameters: { day: 'monday', limit: 10, old: true } });
      const bad = await newRun(flow, {
        parameters: { day: 'tuesday', limit: 10, added: 1 },
        state: { type: 'PENDING' },
      });
      await setState('flow_runs', bad.id, { type: 'RUNNING' });
      const fine = await newTask(bad.id, 'extract-0');
      await setState('task_runs', fine.id, { type: 'COMPLETED' });
      const first = await newTask(bad.id, 'load-0');
      await setState('task_runs', first.id, { type: 'RUNNING' });
      await setState('task_runs', first.id, {
        type: 'FAILED',
        message: "Task run encountered an exception KeyError: 'x'",
      });
      const second = await newTask(bad.id, 'report-0');
      await setState('task_runs', second.id, { type: 'FAILED', message: 'later' });
      const line = { name: 'prefect.task_runs', level: 40, message: traceback, timestamp: now() as Timestamp };
      await server.post('/logs/', [{ ...line, flow_run_id: bad.id, task_run_id: first.id }]);
      await setState('flow_runs', bad.id, {
        type: 'FAILED',
        message: "Flow run encountered an exception: KeyError: 'x'",
      });
      await ended(flow, 'FAILED', {}, "Flow run encountered an exception: KeyError: 'y'");

      const { status, body: view } = await server.get(`/views/flow_runs/${bad.id}`);
      assert.equal(status, 200);
      assert.equal(view.flow.name, 'explained');
      assert.equal(view.failure.task.name, 'load-0');
      assert.deepEqual(view.failure.exception, { type: 'KeyError', message: "'x'" });
      assert.deepEqual(
        view.failure.task.attempts.map(({ type }: { type: string }) => type),
        ['PENDING', 'RUNNING', 'FAILED'],
      );
      assert.deepEqual(view.failure.frames[view.failure.user_frame], {
        file: '/app/load.py',
        line: 7,
        function: 'load',
        code: "return rows['x']",
      });
      assert.equal(view.last_success.id, good.id);
      assert.deepEqual(view.last_success.parameters, [
        { name: 'added', before: null, now: '1' },
        { name: 'day', before: '"monday"', now: '"tuesday"' },
        { name: 'old', before: 'true', now: null },
      ]);
      assert.deepEqual(
        view.task_runs.map((row: { state_type: string; count: number }) => [row.state_type, row.count]),
        [
          ['COMPLETED', 1],
          ['FAILED', 2],
        ],
      );
      assert.equal(view.waiting, null);
      const later = await ended(flow, 'FAILED', {}, "Flow run encountered an exception: KeyError: 'z'");
      assert.equal((await server.get(`/views/flow_runs/${later.id}`)).body.failure.similar, 2);
    });

    test('a list of runs and a timeline cut long names', async () => {
      const name = 'n'.repeat(100_000);
      const longFlow = await newFlow(name);
      const run = await newRun(longFlow, { name });
      await newTask(run.id, name);
      const { body: page } = await server.post('/views/runs', { flow_runs: { id: { any_: [run.id] } } });
      assert.equal(page.runs[0].name.length, 300);
      assert.equal(page.runs[0].flow_name.length, 300);
      const { body: timeline } = await server.get(`/views/flow_runs/${run.id}/timeline`);
      assert.equal(timeline.name[0].length, 300);
      const byName = { flows: { id: { any_: [longFlow] } }, sort: 'NAME_ASC', limit: 1 };
      const other = await newRun(longFlow, { name: `${name}n` });
      const { body: first } = await server.post('/views/runs', byName);
      const { body: second } = await server.post('/views/runs', { ...byName, after: first.next });
      assert.deepEqual([first.runs[0].id, second.runs[0].id, second.next], [run.id, other.id, null]);
    });

    test('a list of runs has all of their tags', async () => {
      const tags = ['a "quoted" \\ tag', 'é'.repeat(50_000)];
      const run = await newRun(await newFlow(), { tags });
      const { body } = await server.post('/views/runs', { flow_runs: { id: { any_: [run.id] } } });
      assert.deepEqual(body.runs[0].tags, tags);
    });

    test('past states cut their message, and the failure has all of it', async () => {
      const message = 'x'.repeat(100_000);
      const run = await ended(await newFlow(), 'FAILED', {}, message);
      const { body } = await server.get(`/views/flow_runs/${run.id}`);
      assert.equal(body.states.at(-1).message.length, 2000);
      assert.equal(body.failure.message, message);
    });

    test('a run names the cure when its logs name task runs, and none of them arrived', async () => {
      const run = await ended(await newFlow(), 'COMPLETED');
      const view = async () => (await server.get(`/views/flow_runs/${run.id}`)).body;
      const named = [newId(), newId()];
      const log = (task_run_id: string | null, secondsAgo: number) => ({
        ...{ name: 'prefect.task_runs', level: 20, message: 'Finished in state Completed()' },
        ...{ timestamp: addSeconds(now(), -secondsAgo), flow_run_id: run.id, task_run_id },
      });
      await server.post('/logs/', [log(null, 60), log(named[0]!, 1)]);
      assert.equal((await view()).unrecorded_tasks, null, 'they may still arrive');
      await server.post('/logs/', [log(named[0]!, 60), log(named[0]!, 59), log(named[1]!, 58)]);
      const { count, cures } = (await view()).unrecorded_tasks;
      assert.equal(count, 2);
      assert.match(cures.join(' '), /PREFECT_CLOUD_API_URL/);
      const task = { flow_run_id: run.id, task_key: 'a', dynamic_key: '0', state: { type: 'COMPLETED' } };
      const arrived = (await server.post('/task_runs/', { ...task, id: named[1] })).body.id;
      assert.equal(arrived, named[1]);
      assert.equal((await view()).unrecorded_tasks, null);
    });

    test('a waiting run gives the reason', async () => {
      const run = await newRun(await newFlow(), { state: { type: 'SCHEDULED' } });
      const { body } = await server.get(`/views/flow_runs/${run.id}`);
      assert.equal(body.failure, null);
      assert.equal(body.waiting.reasons[0].code, 'no_deployment');
    });

    test('a timeline has a column for each field, subflows in place, and the attempts of retried runs', async () => {
      const flow = await newFlow('drawn');
      const run = await newRun(flow, { state: { type: 'RUNNING' } });
      const tried = await newTask(run.id, 'flaky-0');
      for (const type of ['RUNNING', 'SCHEDULED', 'RUNNING', 'COMPLETED'])
        await setState('task_runs', tried.id, { type });
      const standIn = await newTask(run.id, 'child-0');
      const child = await newRun(await newFlow('inner'), {
        parent_task_run_id: standIn.id,
        state: { type: 'RUNNING' },
      });
      const { status, body } = await server.get(`/views/flow_runs/${run.id}/timeline`);
      assert.equal(status, 200);
      assert.equal(body.total, 2);
      const at = (id: string) => body.id.indexOf(id);
      assert.equal(body.kind[at(child.id)], 'flow-run');
      assert.equal(body.name[at(child.id)], `inner / ${child.name}`);
      assert.equal(body.state_type[at(child.id)], 'RUNNING');
      assert.equal(body.end[at(child.id)], null);
      assert.equal(body.run_count[at(tried.id)], 2);
      assert.deepEqual(
        body.attempts.map(({ task, type }: { task: number; type: string }) => [task === at(tried.id), type]),
        ['PENDING', 'RUNNING', 'SCHEDULED', 'RUNNING', 'COMPLETED'].map((type) => [true, type]),
      );
      assert.equal(body.givers, null);
      const taker = await newTask(
        run.id,
        'taker-0',
        { type: 'PENDING' },
        {
          rows: [
            { input_type: 'task_run', id: tried.id },
            { input_type: 'flow_run', id: child.id },
            { input_type: 'task_run', id: newId() },
          ],
          again: [{ input_type: 'task_run', id: tried.id }],
          __parents__: [{ input_type: 'task_run', id: standIn.id }],
        },
      );
      const { body: graph } = await server.get(`/views/flow_runs/${run.id}/timeline?givers=true`);
      const positionOf = (id: string) => graph.id.indexOf(id);
      assert.deepEqual(graph.givers[positionOf(taker.id)].toSorted(), [tried.id, child.id].map(positionOf).toSorted());
      assert.deepEqual(graph.givers[positionOf(tried.id)], []);
      assert.equal((await server.get(`/views/flow_runs/${run.id}/timeline?givers=perhaps`)).status, 422);
      for (const column of [
        'id',
        'kind',
        'name',
        'state_type',
        'state_name',
        'expected',
        'start',
        'end',
        'run_count',
      ]) {
        assert.equal(body[column].length, 2, column);
      }
    });

    test('search matches part of a name, the beginning of a run’s name, and any id', async () => {
      const flow = await newFlow('Quarterly revenue');
      const run = await newRun(flow, { name: 'revenue-of-may', state: { type: 'PENDING' } });
      await server.post('/variables/', { name: 'revenue_currency', value: 'EUR' });
      const search = async (q: string) => {
        const { status, body, text } = await server.get(`/views/search?q=${encodeURIComponent(q)}`);
        assert.equal(status, 200, text);
        return body.map((hit: { type: string; name: string }) => `${hit.type} ${hit.name}`);
      };
      assert.deepEqual(await search('revenue'), [
        'variable revenue_currency',
        'flow_run revenue-of-may',
        'flow Quarterly revenue',
      ]);
      assert.deepEqual(await search(run.id), ['flow_run revenue-of-may']);
      assert.deepEqual(await search(flow.replaceAll('-', '').toUpperCase()), ['flow Quarterly revenue']);
      assert.deepEqual(await search('100%_nothing'), []);
      assert.equal((await server.get('/views/search?q=')).status, 422);
    });
  });
}
