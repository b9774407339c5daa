import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { type Body, proactive, reactive, triggerWorld } from '../../../../test/support/triggers.ts';
import { ANY } from '../../../changes/hub.ts';

for (const database of databases) {
  describe(`triggers on ${database}`, () => {
    let server: TestServer;
    const { begin, pass, firingsOf, firedBy, actionsOf } = triggerWorld({ server: () => server });

    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    test('an expected event fires, one action each, and the firing names the event', async () => {
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

    test('events of the server itself fire too, at once', async () => {
      const { name, automate } = begin();
      const flow = name('flow');
      const automation = await automate(
        reactive({ expect: ['prefect.flow.*'], match: { 'prefect.resource.name': flow } }),
      );
      const woken: string[] = [];
      const stop = server.server.hub.hear('work', ANY, (_, service) => woken.push(service));
      await server.post('/flows/', { name: flow });
      assert.deepEqual(woken, ['triggers']);
      await pass();
      assert.ok(woken.includes('actions'));
      stop();
      assert.equal((await firedBy(automation)).length, 1);
    });

    test('without a window every event fires, or every event that completes the threshold', async () => {
      const { name, send, automate } = begin();
      const each = await automate(reactive({ expect: [name('go')] }));
      const two = await automate(reactive({ expect: [name('go')], threshold: 2 }));
      const events = [await send('go', 0), await send('go', 1), await send('go', 2)];
      await pass();
      events.push(await send('go', 3));
      await pass(4);
      assert.deepEqual(await firedBy(each), events);
      assert.deepEqual(await firedBy(two), [events[1], events[3]]);
    });

    test('the threshold fires at once, and the trigger rests until its window ends', async () => {
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

    test('a missing event fires when its time is over, and not before', async () => {
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

    test('the firing names the first of several events that open a window', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(proactive({ after: [name('begin')], expect: [name('end')] }));
      const first = await send('begin', 0);
      await send('begin', 5);
      await pass(11);
      assert.deepEqual(await firedBy(automation), [first]);
    });

    test('an expired window ends with the next event that it expects, and the one after it opens', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ after: [name('begin')], expect: [name('end')], within: 5 }));
      await send('begin', 0);
      await send('end', 10);
      await send('begin', 11);
      const fires = await send('end', 12);
      await pass(12);
      assert.deepEqual(await firedBy(automation), [fires]);
    });

    // Each event has the second in which it occurred. The order is that of arrival. `server/test/reference/arrivals` has more.
    const HELD: readonly [string, Body, readonly [string, number][], number | undefined][] = [
      [
        'both ends count',
        { threshold: 2 },
        [
          ['end', -2],
          ['end', -1],
          ['beat', -3],
        ],
        undefined,
      ],
      [
        'the start of a window is inside',
        {},
        [
          ['end', -3],
          ['beat', -3],
        ],
        undefined,
      ],
      [
        'what came before does not count',
        {},
        [
          ['end', -4],
          ['beat', -3],
        ],
        1,
      ],
      [
        'the end is named',
        { threshold: 2, expect: ['beat', 'end'] },
        [
          ['beat', -3],
          ['end', -1],
          ['beat', -2],
        ],
        1,
      ],
      [
        'an end ends a moved window',
        { expect: ['beat', 'end'] },
        [
          ['beat', -3],
          ['end', -1],
          ['beat', -2],
        ],
        undefined,
      ],
    ];
    for (const [title, given, events, fires] of HELD) {
      for (const together of [true, false]) {
        test(`an event is held for a window that opens later: ${title}, ${together ? 'at once' : 'one by one'}`, async () => {
          const { name, send, automate } = begin();
          const expect = ((given['expect'] as string[] | undefined) ?? ['end']).map(name);
          const automation = await automate(
            proactive({ ...given, expect, after: [name('beat')], for_each: ['prefect.resource.id'] }),
          );
          const sent: string[] = [];
          for (const [word, seconds] of events) {
            sent.push(await send(word, seconds));
            if (!together) await pass();
          }
          await pass(1);
          await pass(20);
          assert.deepEqual(await firedBy(automation), fires === undefined ? [] : [sent[fires]]);
        });
      }
    }

    test('held events are thinned, forgotten with time, and go with their automation', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(proactive({ after: [name('beat')], expect: [name('end')], threshold: 2 }));
      const held = async () =>
        (
          await server.server.store.transaction(server.server.defaultWorkspace, (tx) =>
            tx.query(
              tx.dialect.builder
                .selectFrom('automation_held_event')
                .select('automation_id')
                .where('workspace', '=', tx.workspace)
                .where('automation_id', '=', automation.id),
            ),
          )
        ).length;
      for (let count = 0; count < 12; count++) await send('end', count / 1000);
      await pass();
      const most = 4;
      // They may lie in two stretches.
      assert.ok((await held()) >= most && (await held()) <= 2 * most, `${await held()}`);
      await send('end', 1900);
      await pass(1900);
      assert.equal(await held(), 1);
      await pass(1900 + 1801);
      assert.equal(await held(), 0);
      await send('end', 4000);
      await pass(4000);
      assert.equal(await held(), 1);
      await server.delete(`/automations/${automation.id}`);
      assert.equal(await held(), 0);
    });

    test('a trigger for each thing and without an opening event never fires for one that was seen enough', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(proactive({ expect: [name('beat')], for_each: ['prefect.resource.id'] }));
      await send('beat', 0);
      for (const seconds of [0, 6, 12, 18, 24, 30]) await pass(seconds);
      assert.deepEqual(await firedBy(automation), []);
    });

    test('a trigger for all things together is opened by the clock, also where it names an opening event', async () => {
      const { name, automate } = begin();
      const automation = await automate(proactive({ after: [name('begin')], expect: [name('end')] }));
      for (const seconds of [0, 6, 12, 18, 24, 30, 36]) await pass(seconds);
      assert.deepEqual(await firedBy(automation), [null, null]);
      await server.delete(`/automations/${automation.id}`);
    });

    test('an event that arrives in time prevents a proactive trigger from firing', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(proactive({ after: [name('begin')], expect: [name('end')] }));
      await send('begin', 0);
      await send('end', 5);
      await pass(6);
      await pass(20);
      assert.deepEqual(await firedBy(automation), []);
    });

    test('a heartbeat that stops fires once for each resource that had one', async () => {
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

    test('a proactive trigger without an opening event opens its windows one after another', async () => {
      const { name, automate } = begin();
      const automation = await automate(proactive({ expect: [name('never')] }));
      for (const seconds of [0, 6, 12, 18, 24]) await pass(seconds);
      assert.deepEqual(await firedBy(automation), [null, null]);
      await server.delete(`/automations/${automation.id}`);
    });

    test('each value of the labels has its own count; a missing one is the empty text', async () => {
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

    test('a label longer than an index key is counted like any other', async () => {
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

    test('a compound trigger fires when all its parts have fired, in any order', async () => {
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

    test('parts that fired too long ago do not count, and too few parts do not fire', async () => {
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
  });
}
