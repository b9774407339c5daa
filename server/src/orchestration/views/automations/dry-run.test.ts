import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { type Body, proactive, reactive, triggerWorld } from '../../../../test/support/triggers.ts';
import { addSeconds } from '../../../values/time.ts';

for (const database of databases) {
  describe(`dry runs of automations on ${database}`, () => {
    let server: TestServer;
    const { at, begin, pass, firedBy } = triggerWorld({ server: () => server });
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const dryRun = async (trigger: Body, seconds: number) => {
      const { status, body, text } = await server.post('/views/automations/dry_run', {
        trigger,
        since: at(-1),
        until: at(seconds),
      });
      assert.equal(status, 200, text);
      return body;
    };
    /** Newest first, like the firings of the stored automation. */
    const eventsOf = (view: { firings: { event: { id: string } | null }[] }) =>
      view.firings.map(({ event }) => event?.id ?? null).reverse();

    const cases: readonly (readonly [string, (name: (word: string) => string) => Body])[] = [
      ['each event', (name) => reactive({ expect: [name('go')] })],
      ['labels', (name) => reactive({ expect: [name('go')], match: { 'prefect.resource.id': 'door.*' } })],
      ['a wildcard', (name) => reactive({ expect: [`${name('g')}*`], match: { 'prefect.resource.id': '!door.1' } })],
      ['a threshold', (name) => reactive({ expect: [name('go')], threshold: 2, within: 60 })],
      [
        'each resource',
        (name) => reactive({ expect: [name('go')], threshold: 2, within: 60, for_each: ['prefect.resource.id'] }),
      ],
      ['after another event', (name) => reactive({ after: [name('ready')], expect: [name('go')], within: 60 })],
      [
        'a compound',
        (name) => ({
          type: 'compound',
          require: 'all',
          within: 60,
          triggers: [reactive({ expect: [name('ready')] }), reactive({ expect: [name('go')] })],
        }),
      ],
      [
        'a sequence',
        (name) => ({
          type: 'sequence',
          within: 60,
          triggers: [reactive({ expect: [name('go')] }), reactive({ expect: [name('ready')] })],
        }),
      ],
    ];
    for (const [title, trigger] of cases) {
      test(`a dry run over stored events fires like the automation: ${title}`, async () => {
        const { name, send, automate } = begin();
        const written = trigger(name);
        const automation = await automate(written);
        const door = (number: number) => ({ resource: { 'prefect.resource.id': `door.${number}` } });
        await send('go', 0, door(1));
        await send('ready', 1, door(2));
        await send('go', 2, door(2));
        await send('stop', 3, door(1));
        await send('go', 4, { resource: { 'prefect.resource.id': 'window.1' } });
        await send('go', 5, door(1));
        await pass();
        const fired = await firedBy(automation);
        assert.ok(fired.length > 0);
        const view = await dryRun(written, 10);
        assert.deepEqual(eventsOf(view), fired);
        assert.equal(view.fired, fired.length);
        assert.equal(view.is_complete, true);
        const sums = view.history.reduce((sum: number, one: { fired: number }) => sum + one.fired, 0);
        assert.equal(sums, view.fired);
      });
    }

    test('a dry run names the failures that the trigger misses, and leaves out subflows where it does', async () => {
      const { body: flow } = await server.post('/flows/', { name: 'fails' });
      const end = async (name: string, type: string, more: object = {}) => {
        const { body: run } = await server.post('/flow_runs/', {
          flow_id: flow.id,
          state: { type: 'RUNNING' },
          ...more,
        });
        await server.post(`/flow_runs/${run.id}/set_state`, { state: { type, name }, force: true });
        return run;
      };
      const parent = await end('Failed', 'FAILED');
      const key = { flow_run_id: parent.id, task_key: 'child', dynamic_key: '0' };
      const { body: task } = await server.post('/task_runs/', { ...key, name: 'child-0', state: { type: 'RUNNING' } });
      await end('TimedOut', 'FAILED', { parent_task_run_id: task.id });
      await end('TimedOut', 'FAILED');
      await end('Gone', 'CRASHED');
      await end('Completed', 'COMPLETED');
      const now = server.context().now;
      const since = addSeconds(now, -60);
      const until = addSeconds(now, 60);
      const missedBy = async (expect: string[], match: object = {}) => {
        const names = expect.map((name) => `prefect.flow-run.${name}`);
        const trigger = reactive({ expect: names, match: { 'prefect.resource.id': 'prefect.flow-run.*', ...match } });
        const { status, body, text } = await server.post('/views/automations/dry_run', { trigger, since, until });
        assert.equal(status, 200, text);
        return [body.matched, body.missed.map(Object.values)];
      };
      const topOnly = { 'signalbox.subflow': 'no' };
      const gone = ['CRASHED', 'Gone', 1];
      assert.deepEqual(await missedBy(['Failed', 'Crashed']), [1, [['FAILED', 'TimedOut', 2], gone]]);
      assert.deepEqual(await missedBy(['Failed', 'Crashed'], topOnly), [1, [gone, ['FAILED', 'TimedOut', 1]]]);
      assert.deepEqual(await missedBy(['Failed', 'TimedOut', 'Gone']), [4, []]);
      assert.deepEqual(await missedBy(['Failed', 'TimedOut', 'Gone'], topOnly), [3, []]);
      assert.deepEqual(await missedBy(['TimedOut'], { 'signalbox.subflow': 'yes' }), [1, []]);
      assert.deepEqual(await missedBy(['Completed']), [1, []]);
    });

    test('a trigger whose event never arrives fires for each window that ends', async () => {
      const { name, send, automate } = begin();
      const written = proactive({
        after: [name('start')],
        expect: [name('end')],
        within: 30,
        for_each: ['prefect.resource.id'],
      });
      const automation = await automate(written);
      const job = (number: number) => ({ resource: { 'prefect.resource.id': `job.${number}` } });
      await send('start', 0, job(1));
      const lost = await send('start', 1, job(2));
      await send('end', 5, job(1));
      await pass(10);
      await pass(60);
      assert.deepEqual(await firedBy(automation), [lost]);
      const view = await dryRun(written, 60);
      assert.equal(view.fired, 1);
      assert.deepEqual(view.firings[0].labels, { 'prefect.resource.id': 'job.2' });
      assert.equal(view.matched, 1);
      assert.equal((await dryRun(written, 20)).fired, 0);
    });

    test('a trigger without an opening event fires repeatedly', async () => {
      const { name } = begin();
      const written = proactive({ expect: [name('never')], within: 10 });
      const view = await dryRun(written, 99);
      assert.equal(view.fired, 9);
      assert.deepEqual(view.firings[0].event, null);
    });

    test('a dry run from long ago ends at its limit of firings or time, and other requests are answered meanwhile', async (t) => {
      const time = { passed: 0, withEachLook: 0 };
      const start = Date.now();
      const local = { wall: () => start + time.passed, elapsed: () => (time.passed += time.withEachLook) };
      const timed = await startServer({ database, local });
      t.after(() => timed.stop());
      const { name } = begin();
      const long = { since: '1970-01-01T00:00:00Z', until: at(1) };
      for (const [threshold, withEachLook] of [
        [1, 0.01],
        [0, 1],
      ] as const) {
        const trigger = proactive({ expect: [name('g*')], within: 10, threshold });
        time.withEachLook = withEachLook;
        let isOver = false;
        const running = timed.post('/views/automations/dry_run', { trigger, ...long });
        void running.then(() => (isOver = true));
        assert.equal((await timed.post('/flows/filter', {})).status, 200);
        // One that runs out of time may be over before a database has answered.
        if (threshold > 0) assert.ok(!isOver, 'the dry run gives way');
        const { body } = await running;
        assert.deepEqual([body.is_complete, body.fired], [false, threshold * 10_000]);
        assert.ok(body.until < '2026', body.until);
      }
    });

    test('a dry run reads large events, and shows their resource by its id', async () => {
      const { name, send } = begin();
      const resource = { 'prefect.resource.id': 'large.1', text: 'x'.repeat(100_000), last: 'z' };
      const id = await send('go', 0, { resource });
      const view = await dryRun(reactive({ expect: [name('go')], match: { last: 'z' } }), 10);
      assert.deepEqual([view.matched, view.fired], [1, 1]);
      assert.deepEqual([view.events[0].id, view.events[0].resource], [id, { 'prefect.resource.id': 'large.1' }]);
    });

    test('a trigger that is too long is refused', async () => {
      const triggers = Array.from({ length: 2000 }, (_, index) => reactive({ expect: [`one.${index}`] }));
      const trigger = { type: 'compound', require: 'any', within: 60, triggers };
      const { status, text } = await server.post('/views/automations/dry_run', { trigger, since: at(-1) });
      assert.equal(status, 422);
      assert.match(text, /65536/);
    });

    test('a dry run has no effect and shows the newest of the events that matched', async () => {
      const { name, send } = begin();
      for (let second = 0; second < 60; second++) await send('go', second);
      const last = await send('go', 60);
      const view = await dryRun(reactive({ expect: [name('go')] }), 100);
      assert.deepEqual([view.matched, view.fired, view.events.length, view.firings.length], [61, 61, 50, 50]);
      assert.equal(view.events[0].id, last);
      const { body } = await server.post('/events/filter', {
        filter: { event: { name: ['prefect.automation.triggered'] }, text: { query: name('go') } },
      });
      assert.equal(body.total, 0);
    });

    test('an invalid trigger is refused', async () => {
      const { status } = await server.post('/views/automations/dry_run', {
        trigger: { type: 'event', posture: 'Nonsense' },
        since: at(-1),
      });
      assert.equal(status, 422);
    });
  });
}
