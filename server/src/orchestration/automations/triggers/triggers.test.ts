import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { clientEvent, type EventOptions } from '../../../../test/support/events.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { triggers } from '../../../services/triggers.ts';
import { addSeconds, systemClock, type Timestamp } from '../../../time.ts';

type Body = Record<string, unknown>;

const reactive = (trigger: Body): Body => ({ type: 'event', posture: 'Reactive', ...trigger });
const proactive = (trigger: Body): Body => ({ type: 'event', posture: 'Proactive', within: 10, ...trigger });

for (const database of databases) {
  describe(`triggers on ${database}`, () => {
    let server: TestServer;
    let count = 0;
    /** Times in these tests are seconds from here. */
    let base: Timestamp;

    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const at = (seconds: number) => addSeconds(base, seconds);

    /** Event names and automations of one test have a prefix of their own. */
    function begin() {
      base = systemClock.now();
      const prefix = `t${count++}`;
      const name = (word: string) => (word.includes('*') ? word : `${prefix}.${word}`);
      const send = async (word: string, seconds: number, event: EventOptions & { follows?: string } = {}) => {
        const sent = clientEvent({ event: name(word), occurred: at(seconds), ...event });
        const answer = await server.post('/events', [sent]);
        assert.equal(answer.status, 204, answer.text);
        return sent.id;
      };
      const automate = async (trigger: Body, more: Body = {}) => {
        const answer = await server.post('/automations/', {
          name: prefix,
          trigger,
          actions: [{ type: 'do-nothing' }],
          ...more,
        });
        assert.equal(answer.status, 201, answer.text);
        return answer.body;
      };
      return { name, send, automate };
    }

    /** Moves the triggers on until nothing is left, as the service would, at a time of the test. */
    async function pass(seconds = 0): Promise<void> {
      for (let round = 0; await triggers.runOnce(server.context(at(seconds))); round++) assert.ok(round < 100);
    }

    async function firingsOf(automation: { id: string }): Promise<{ event: string | null; labels: Body }[]> {
      const { body } = await server.post('/events/filter', {
        filter: {
          event: { name: ['prefect.automation.triggered'] },
          resource: { id: [`prefect.automation.${automation.id}`] },
          occurred: { until: addSeconds(base, 1_000_000) },
          order: 'ASC',
        },
      });
      return body.events.map(({ payload }: { payload: Body }) => ({
        event: (payload['triggering_event'] as { id: string } | null)?.id ?? null,
        labels: payload['triggering_labels'],
      }));
    }

    async function firedBy(automation: { id: string }): Promise<(string | null)[]> {
      return (await firingsOf(automation)).map(({ event }) => event);
    }

    async function actionsOf(automation: { id: string }): Promise<Body[]> {
      const rows = await server.server.store.transaction(server.server.defaultWorkspace, (tx) =>
        tx.query(tx.dialect.builder.selectFrom('automation_action').selectAll().where('workspace', '=', tx.workspace)),
      );
      return rows.filter(({ automation_id }) => automation_id === automation.id).map((row) => ({ ...row }));
    }

    test('an event that is expected fires, one action each, and is told with the event that did it', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(
        reactive({ expect: [name('go')], match: { 'prefect.resource.id': 'door.*' } }),
        {
          actions: [{ type: 'do-nothing' }, { type: 'cancel-flow-run' }],
          actions_on_trigger: [{ type: 'do-nothing' }],
        },
      );
      const event = await send('go', 0);
      await send('stop', 1);
      await send('go', 2, { resource: { 'prefect.resource.id': 'window.1' } });
      await pass();
      assert.deepEqual(await firedBy(automation), [event]);
      const actions = (await actionsOf(automation)).toSorted(
        (one, other) => Number(one['action_index']) - Number(other['action_index']),
      );
      assert.deepEqual(
        actions.map(({ action, action_index, state }) => [JSON.parse(String(action)).type, action_index, state]),
        [
          ['do-nothing', 0, 'waiting'],
          ['cancel-flow-run', 1, 'waiting'],
          ['do-nothing', 2, 'waiting'],
        ],
      );
      assert.equal(JSON.parse(String(actions[0]?.['triggering_event'])).id, event);
      assert.equal(JSON.parse(String(actions[2]?.['triggering_event'])).event, 'prefect.automation.triggered');
      const firing = JSON.parse(String(actions[0]?.['firing']));
      assert.equal(firing.trigger.id, automation.trigger.id);
      assert.deepEqual(firing.trigger_states, ['Triggered']);
      assert.equal(firing.triggering_event.id, event);
    });

    test('without a window every event fires, and a threshold of two is never reached', async () => {
      const { name, send, automate } = begin();
      const each = await automate(reactive({ expect: [name('go')] }));
      const two = await automate(reactive({ expect: [name('go')], threshold: 2 }));
      const events = [await send('go', 0), await send('go', 1)];
      await pass();
      assert.deepEqual(await firedBy(each), events);
      assert.deepEqual(await firedBy(two), []);
    });

    test('the threshold fires at once, and the trigger rests until its window is over', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ expect: [name('go')], threshold: 2, within: 10 }));
      await send('go', 0);
      const first = await send('go', 5);
      await send('go', 6);
      await send('go', 7);
      await pass();
      await send('go', 11);
      const second = await send('go', 12);
      await pass();
      assert.deepEqual(await firedBy(automation), [first, second]);
    });

    test('an event after the window counts in the next one', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ expect: [name('go')], threshold: 2, within: 10 }));
      await send('go', 0);
      await pass();
      await send('go', 15);
      await pass();
      const fires = await send('go', 16);
      await pass();
      assert.deepEqual(await firedBy(automation), [fires]);
    });

    test('events that arrive out of order count too', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ expect: [name('go')], threshold: 2, within: 10 }));
      await send('go', 0);
      const earlier = await send('go', -5);
      await pass();
      assert.deepEqual(await firedBy(automation), [earlier]);
    });

    test('with `after`, events count from that event on and no longer than the window', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ after: [name('begin')], expect: [name('end')], within: 10 }));
      await send('end', 0);
      await send('begin', 1);
      await send('end', 20);
      await send('begin', 30);
      const fires = await send('end', 35);
      await send('end', 36);
      await pass();
      assert.deepEqual(await firedBy(automation), [fires]);
    });

    test('an event that opens the window does not count itself', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ after: [name('beat')], expect: [name('beat')], within: 10 }));
      await send('beat', 0);
      const second = await send('beat', 1);
      await send('beat', 2);
      await pass();
      assert.deepEqual(await firedBy(automation), [second]);
    });

    test('an event that did not come fires when its time is over, and not before', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(proactive({ after: [name('begin')], expect: [name('end')] }));
      const opened = await send('begin', 0);
      await pass(1);
      await pass(9);
      assert.deepEqual(await firedBy(automation), []);
      await pass(15);
      await pass(30);
      assert.deepEqual(await firedBy(automation), [opened]);
    });

    test('the last of several events that open a window is the one that is told', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(proactive({ after: [name('begin')], expect: [name('end')] }));
      await send('begin', 0);
      const last = await send('begin', 5);
      await pass(11);
      assert.deepEqual(await firedBy(automation), [last]);
    });

    test('a window that is over does not keep the next one from opening', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ after: [name('begin')], expect: [name('end')], within: 5 }));
      await send('begin', 0);
      await send('begin', 10);
      const fires = await send('end', 11);
      await pass(12);
      assert.deepEqual(await firedBy(automation), [fires]);
    });

    test('an event that came in time keeps a proactive trigger quiet', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(proactive({ after: [name('begin')], expect: [name('end')] }));
      await send('begin', 0);
      await send('end', 5);
      await pass(6);
      await pass(20);
      assert.deepEqual(await firedBy(automation), []);
    });

    test('a heartbeat that stops fires once for each thing that had one', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(
        proactive({ after: [name('beat')], expect: [name('beat')], for_each: ['prefect.resource.id'] }),
      );
      const resource = (id: string) => ({ resource: { 'prefect.resource.id': id } });
      for (const seconds of [0, 5, 10]) await send('beat', seconds, resource('door.a'));
      const last = await send('beat', 11, resource('door.b'));
      for (const seconds of [15, 20]) await send('beat', seconds, resource('door.a'));
      await pass(20);
      await pass(26);
      assert.deepEqual(await firingsOf(automation), [{ event: last, labels: { 'prefect.resource.id': 'door.b' } }]);
    });

    test('a proactive trigger that waits for nothing opens its window by itself, again and again', async () => {
      const { name, automate } = begin();
      const automation = await automate(proactive({ expect: [name('never')] }));
      for (const seconds of [0, 6, 12, 18, 24]) await pass(seconds);
      assert.deepEqual(await firedBy(automation), [null, null]);
      await server.delete(`/automations/${automation.id}`);
    });

    test('each value of the labels counts for itself; a missing one is the empty text', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(
        reactive({ expect: [name('go')], threshold: 2, within: 10, for_each: ['color', 'related:owner:name'] }),
      );
      const owned = (owner: string) => [
        { 'prefect.resource.id': 'o', 'prefect.resource.role': 'owner', name: owner },
        { 'prefect.resource.id': 'p', 'prefect.resource.role': 'owner', name: 'second' },
      ];
      await send('go', 0, { resource: { color: 'red' }, related: owned('ann') });
      await send('go', 1, { resource: { color: 'red' }, related: owned('bob') });
      await send('go', 2, { resource: { color: 'red' } });
      const third = await send('go', 3, { resource: { color: 'red' }, related: owned('ann') });
      await pass();
      assert.deepEqual(await firingsOf(automation), [
        { event: third, labels: { color: 'red', 'related:owner:name': 'ann' } },
      ]);
    });

    test('a label longer than an index takes is counted like any other', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(
        reactive({ expect: [name('go')], threshold: 2, within: 10, for_each: ['color'] }),
      );
      await send('go', 0, { resource: { color: 'x'.repeat(10_000) } });
      await pass();
      const second = await send('go', 1, { resource: { color: 'x'.repeat(10_000) } });
      await pass();
      assert.deepEqual(await firedBy(automation), [second]);
    });

    test('a compound trigger fires when all its parts have, in any order', async () => {
      const { name, send, automate } = begin();
      const parts = ['a', 'b'].map((word) => reactive({ expect: [name(word)] }));
      const all = await automate({ type: 'compound', require: 'all', within: 60, triggers: parts });
      const any = await automate({ type: 'compound', require: 'any', within: null, triggers: parts });
      const sequence = await automate({ type: 'sequence', within: 60, triggers: parts });
      const b = await send('b', 0);
      const a = await send('a', 1);
      await pass(1);
      assert.deepEqual(await firedBy(all), [a]);
      assert.deepEqual(await firedBy(any), [b, a]);
      assert.deepEqual(await firedBy(sequence), []);
      const again = await send('b', 2);
      await pass(2);
      assert.deepEqual(await firedBy(sequence), [again]);
      assert.deepEqual(await firedBy(all), [a]);
      const [action] = await actionsOf(sequence);
      const firing = JSON.parse(String(action?.['firing']));
      assert.deepEqual(
        firing.triggering_firings.map((child: { triggering_event: { id: string } }) => child.triggering_event.id),
        [a, again],
      );
    });

    test('parts that fired too long ago do not count, and neither do too few', async () => {
      const { name, send, automate } = begin();
      const parts = ['a', 'b', 'c'].map((word) => reactive({ expect: [name(word)] }));
      const two = await automate({ type: 'compound', require: 2, within: 10, triggers: parts });
      await send('a', 0);
      await pass(0);
      await send('b', 20);
      await pass(20);
      assert.deepEqual(await firedBy(two), []);
      const fires = await send('c', 25);
      await pass(25);
      assert.deepEqual(await firedBy(two), [fires]);
    });

    test('compound triggers nest', async () => {
      const { name, send, automate } = begin();
      const inner = {
        type: 'sequence',
        within: null,
        triggers: ['a', 'b'].map((word) => reactive({ expect: [name(word)] })),
      };
      const automation = await automate({
        type: 'compound',
        require: 'all',
        within: null,
        triggers: [inner, reactive({ expect: [name('c')] })],
      });
      await send('c', 0);
      await send('a', 1);
      await pass(1);
      const last = await send('b', 2);
      await pass(2);
      assert.deepEqual(await firedBy(automation), [last]);
    });

    test('an event waits for the one that it follows', async () => {
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

    test('an event is taken as it is when the one that it follows never comes', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ expect: [name('second')] }));
      const second = await send('second', 1, { follows: crypto.randomUUID() });
      await pass(1);
      await pass(600);
      assert.deepEqual(await firedBy(automation), []);
      await pass(910);
      assert.deepEqual(await firedBy(automation), [second]);
    });

    test('an event that is sent twice counts once', async () => {
      const { name, automate } = begin();
      const automation = await automate(reactive({ expect: [name('go')] }));
      const event = clientEvent({ event: name('go') });
      await server.post('/events', [event, event]);
      await pass();
      await server.post('/events', [event]);
      await pass();
      assert.deepEqual(await firedBy(automation), [event.id]);
    });

    test('what was counted survives a restart in the middle', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ expect: [name('go')], threshold: 3, within: 60 }));
      await send('go', 0);
      await pass();
      await send('go', 1);
      // Another process has none of the memory of this one; it sees the same rows.
      const other = { ...server.server };
      await triggers.runOnce({ ...server.context(at(1)), server: other });
      const third = await send('go', 2);
      await triggers.runOnce({ ...server.context(at(2)), server: other });
      await pass(3);
      assert.deepEqual(await firedBy(automation), [third]);
    });

    test('passes at the same time fire once', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ expect: [name('go')] }));
      const events: string[] = [];
      for (let index = 0; index < 20; index++) events.push(await send('go', index));
      await Promise.all(
        [1, 2, 3, 4].map(() => triggers.runOnce({ ...server.context(at(30)), server: { ...server.server } })),
      );
      await pass(30);
      assert.deepEqual((await firedBy(automation)).toSorted(), events.toSorted());
    });

    test('a pass that fails leaves everything as it was', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ expect: [name('go')] }));
      const event = await send('go', 0);
      const broken = { ...server.context(at(1)) };
      await assert.rejects(
        triggers.runOnce({
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

    test('an automation that is off sees nothing, and begins anew when it is on', async () => {
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

    test('an automation that is edited forgets, and one that is deleted fires no more', async () => {
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

    test('an automation that expects everything does not fire by its own firing', async () => {
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
