// Runs in a process of its own: steps are counted only in code that is loaded afterwards, and counting slows it.
/** What one member of a workspace does with event sockets costs that member. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { stepsOf } from '../../../test/support/steps.ts';

// After the line above: code that is loaded earlier is not counted.
const { clientEvent } = await import('../../../test/support/events.ts');
const { person } = await import('../../../test/support/platform.ts');
const { startServer } = await import('../../../test/support/server.ts');
const { connect } = await import('../../../test/support/socket-client.ts');

describe('event sockets of several members', () => {
  let server: Awaited<ReturnType<typeof startServer>>;
  let url: string;
  let admin: Awaited<ReturnType<typeof person>>;
  let viewer: Awaited<ReturnType<typeof person>>;
  before(async () => {
    server = await startServer({ config: { apiAuth: 'key' } });
    url = await server.listen();
    admin = await person(server, 'admin@example.com', 'admin');
    viewer = await person(server, 'viewer@example.com', 'member');
    const { body: workspaces } = await admin.get('/organizations/default/workspaces');
    const grants = `/organizations/default/workspaces/${workspaces.items[0].id}/grants`;
    assert.equal((await admin.put(`${grants}/${viewer.id}`, { role: 'viewer' })).status, 204);
  });
  after(() => server.stop());

  const subscribe = async (token: string, filter: object) => {
    const client = await connect(`${url}/events/out`, { token });
    client.send({ type: 'filter', filter, backfill: false });
    await client.ping();
    return client;
  };
  const post = (event: object) => server.post('/events', [event], { authorization: `Bearer ${admin.key}` });

  test('an event is masked once for all viewers', async () => {
    const name = 'masked.once';
    const payload = {
      ...Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key${index}`, 'x'])),
      password: 'hunter2',
    };
    const clients = [await subscribe(viewer.key, { event: { name: [name] } })];
    const send = () =>
      stepsOf(async () => {
        await post(clientEvent({ event: name, payload }));
        for (const client of clients) assert.equal((await client.next()).event.payload.password, '********');
      });
    await send();
    const ofOne = await send();
    while (clients.length < 20) clients.push(await subscribe(viewer.key, { event: { name: [name] } }));
    const ofTwenty = await send();
    assert.ok(ofTwenty < 1.5 * ofOne, `${ofTwenty} steps for twenty readers, ${ofOne} for one`);
    for (const client of clients) client.close();
  });

  test('costly filters of one member do not take away the matches of another', async () => {
    const label = 'a'.repeat(60_000);
    const costly = {
      any_resource: { labels: { text: Array.from({ length: 100 }, (_, index) => `*${'a?'.repeat(900)}b${index}*`) } },
    };
    const greedy = [];
    for (let many = 0; many < 30; many++) greedy.push(await subscribe(viewer.key, costly));
    const other = await subscribe(admin.key, { any_resource: { labels: { text: 'a*a' } } });
    const event = clientEvent({ resource: { text: label } });
    await post(event);
    assert.equal((await other.next()).event.id, event.id);
    for (const client of [...greedy, other]) client.close();
  });
});
