import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { clientEvent } from '../../../../test/support/events.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { reactive, triggerWorld } from '../../../../test/support/triggers.ts';
import { Actions } from '../../../services/actions.ts';
import { Triggers } from '../../../services/triggers.ts';
import { TriggerPasses } from './pass.ts';

for (const database of databases) {
  describe(`events reach triggers once on ${database}`, () => {
    let server: TestServer;
    const { at, begin, pass, firedBy } = triggerWorld({ server: () => server });

    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    test('an event waits for the event it follows', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ after: [name('first')], expect: [name('second')], within: 10 }));
      const first = clientEvent({ event: name('first'), occurred: at(0) });
      const second = await send('second', 1, { follows: first.id });
      await pass(1);
      await pass(100);
      assert.deepEqual(await firedBy(automation), []);
      await server.post('/events', [first]);
      await pass(101);
      assert.deepEqual(await firedBy(automation), [second]);
    });

    test('an event is processed alone when the event it follows never arrives', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ expect: [name('second')] }));
      const second = await send('second', 1, { follows: crypto.randomUUID() });
      await pass(1);
      await pass(600);
      assert.deepEqual(await firedBy(automation), []);
      await pass(910);
      assert.deepEqual(await firedBy(automation), [second]);
    });

    test('a duplicate event counts once', async () => {
      const { name, automate } = begin();
      const automation = await automate(reactive({ expect: [name('go')] }));
      const event = clientEvent({ event: name('go') });
      await server.post('/events', [event, event]);
      await pass();
      await server.post('/events', [event]);
      await pass();
      assert.deepEqual(await firedBy(automation), [event.id]);
    });

    test('counts survive a restart in the middle', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ expect: [name('go')], threshold: 3, within: 60 }));
      await send('go', 0);
      await pass();
      await send('go', 1);
      // Another process shares no memory with this one; it sees the same rows.
      const other = new Triggers();
      await other.runOnce(server.context(at(1)));
      const third = await send('go', 2);
      await other.runOnce(server.context(at(2)));
      await pass(3);
      assert.deepEqual(await firedBy(automation), [third]);
    });

    test('events wait while too many actions do, and fire once those have run', async () => {
      const { name, send, automate } = begin();
      const more = { actions: Array.from({ length: 3 }, () => ({ type: 'do-nothing' })) };
      const automation = await automate(reactive({ expect: [name('go')] }), more);
      const passes = new TriggerPasses(2);
      const actions = new Actions(server.server);
      const runActions = async () => {
        while (await actions.runOnce(server.context(at(0))));
      };
      await pass();
      await runActions();
      const first = await send('go', 0);
      while (await passes.evaluate(server.context(at(0))));
      const second = await send('go', 1);
      while (await passes.evaluate(server.context(at(1))));
      assert.deepEqual(await firedBy(automation), [first]);
      await runActions();
      while (await passes.evaluate(server.context(at(2))));
      assert.deepEqual((await firedBy(automation)).toSorted(), [first, second].toSorted());
      await runActions();
    });

    test('concurrent passes fire once', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ expect: [name('go')] }));
      const events: string[] = [];
      for (let index = 0; index < 20; index++) events.push(await send('go', index));
      await Promise.all([1, 2, 3, 4].map(() => new Triggers().runOnce(server.context(at(30)))));
      await pass(30);
      assert.deepEqual((await firedBy(automation)).toSorted(), events.toSorted());
    });

    test('a failed pass leaves everything unchanged', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ expect: [name('go')] }));
      const event = await send('go', 0);
      const broken = { ...server.context(at(1)) };
      await assert.rejects(
        new Triggers().runOnce({
          ...broken,
          transaction: (work) =>
            server.context(at(1)).transaction(async (tx) => {
              await work(tx);
              throw new Error('killed');
            }),
        }),
        /killed/,
      );
      assert.deepEqual(await firedBy(automation), []);
      await pass(2);
      assert.deepEqual(await firedBy(automation), [event]);
    });

    test('an automation that is off sees no events, and starts from zero when it is on', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ expect: [name('go')], threshold: 2, within: 100 }));
      await send('go', 0);
      await pass();
      await server.patch(`/automations/${automation.id}`, { enabled: false });
      await send('go', 1);
      await pass();
      await server.patch(`/automations/${automation.id}`, { enabled: true });
      await send('go', 2);
      await pass();
      assert.deepEqual(await firedBy(automation), []);
      const second = await send('go', 3);
      await pass();
      assert.deepEqual(await firedBy(automation), [second]);
    });

    test('an edited automation starts from zero, and a deleted one fires no more', async () => {
      const { name, send, automate } = begin();
      const body = {
        name: 'edited',
        trigger: reactive({ expect: [name('go')], threshold: 2, within: 100 }),
        actions: [],
      };
      const automation = await automate(body.trigger);
      await send('go', 0);
      await pass();
      assert.equal((await server.put(`/automations/${automation.id}`, body)).status, 204);
      await send('go', 1);
      await pass();
      assert.deepEqual(await firedBy(automation), []);
      await server.delete(`/automations/${automation.id}`);
      await send('go', 2);
      await pass();
      assert.deepEqual(await firedBy(automation), []);
    });

    test('an automation that expects every event does not fire on its own firing', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(
        reactive({ match: { 'prefect.resource.id': ['prefect.automation.*', 'only'] } }),
      );
      await send('go', 0, { resource: { 'prefect.resource.id': 'only' } });
      await pass();
      const fired = await firedBy(automation);
      assert.ok(fired.length >= 1 && fired.length < 10, String(fired.length));
      await server.delete(`/automations/${automation.id}`);
      void name;
    });
  });
}
