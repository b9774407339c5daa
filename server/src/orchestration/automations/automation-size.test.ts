import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';

const nothing = { type: 'do-nothing' };

for (const database of databases) {
  describe(`the size of automations on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const bodyOf = (characters: number, actions: number) => ({
      name: 'large',
      trigger: { type: 'event', posture: 'Reactive', expect: ['x'.repeat(characters)], threshold: 1, within: 0 },
      actions: Array(actions).fill(nothing),
    });

    test('an automation with more actions than one firing may start is refused, when it is made and when it changes', async () => {
      const most = await server.post('/automations/', bodyOf(1, 50));
      assert.equal(most.status, 201, most.text);
      const more = await server.post('/automations/', bodyOf(1, 51));
      assert.deepEqual([more.status, /actions: .* at most 50 /.test(more.text)], [422, true], more.text);
      const changed = await server.put(`/automations/${most.body.id}`, {
        ...bodyOf(1, 50),
        actions_on_trigger: [nothing],
      });
      assert.equal(changed.status, 422, changed.text);
      assert.equal((await server.get(`/automations/${most.body.id}`)).body.actions_on_trigger.length, 0);
    });

    test('a large trigger may have few actions, because each of them stores it', async () => {
      assert.equal((await server.post('/automations/', bodyOf(400_000, 1))).status, 201);
      const many = await server.post('/automations/', bodyOf(400_000, 2));
      assert.deepEqual(
        [many.status, /trigger: .* at most 500000 /.test(many.text)],
        [422, true],
        many.text.slice(0, 300),
      );
    });
  });
}
