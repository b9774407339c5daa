import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { openBrowser } from '../../../../test/support/browser.ts';
import { person } from '../../../../test/support/platform.ts';
import { databases, startServer } from '../../../../test/support/server.ts';
import { platformStatement } from '../../../database/statement.ts';
import { addSeconds } from '../../../values/time.ts';
import { SET_UP_SECONDS } from './lifetime.ts';
import { offerSetUp } from './operations.ts';

const fields = { name: 'Ada Lovelace', email: 'Ada@Example.com', password: 'correct horse battery' };

for (const database of databases) {
  describe(`the set-up link on ${database}`, () => {
    /** A server without users, and its link at a given time. */
    const newServer = async (test: TestContext) => {
      const server = await startServer({ database });
      test.after(() => server.stop());
      const { store, clock } = server.server;
      const offer = async (now = clock.now()) => `/setup?token=${await offerSetUp(store, now)}`;
      return { server, offer };
    };

    test('the first person to open it becomes an administrator and is signed in, and the link is used up', async (test) => {
      const { server, offer } = await newServer(test);
      const link = await offer();
      const browser = openBrowser(server);
      assert.equal((await browser.open(link)).status, 200);
      const made = await browser.post(link, fields);
      assert.equal(made.status, 303, made.text);
      assert.equal(made.headers['location'], '/');
      const account = await browser.open('/signed-in');
      for (const text of ['Ada Lovelace', 'ada@example.com', 'Administrator']) assert.ok(account.text.includes(text));
      assert.equal((await openBrowser(server).open(link)).status, 404);
      assert.equal((await openBrowser(server).post(link, { ...fields, email: 'eve@example.com' })).status, 404);
      const { email, password } = fields;
      assert.equal((await openBrowser(server).post('/sign-in', { email, password })).status, 303);
      assert.equal(await offer(), '/setup?token=undefined', 'no link is made where an account exists');
    });

    test('it says which targets stop with the first account, and how they go on', async (test) => {
      const { server, offer } = await newServer(test);
      const make = async (path: string, body: object) => (await server.post(path, body)).body;
      const type = (await server.get('/block_types/slug/webhook')).body;
      const [schema] = await make('/block_schemas/filter', { block_schemas: { block_type_id: { any_: [type.id] } } });
      const hook = (name: string, url: string) =>
        make('/block_documents/', {
          name,
          data: { method: 'POST', url },
          block_type_id: type.id,
          block_schema_id: schema.id,
        });
      const inside = await hook('inside', 'http://10.1.2.3:8080/hook');
      await hook('outside', 'https://93.184.215.14/hook');
      await hook('here', 'http://localhost:9/');
      const action = { type: 'call-webhook', block_document_id: inside.id, payload: '' };
      const trigger = { type: 'event', posture: 'Reactive', expect: ['x'], threshold: 1, within: 0 };
      const { id } = await make('/automations/', { name: 'tells', trigger, actions: [action] });
      assert.ok(id);
      const page = (await openBrowser(server).open(await offer())).text;
      assert.match(
        page,
        /private targets are refused: 1 automation and 2 blocks name private hosts \(10\.1\.2\.3, localhost\)/,
      );
      assert.match(page, /SIGNALBOX_ALLOWED_PRIVATE_NETWORKS/);
    });

    test('it says nothing of targets where a setting decides, or none is private', async (test) => {
      const { server, offer } = await newServer(test);
      assert.doesNotMatch((await openBrowser(server).open(await offer())).text, /private/);
    });

    test('one of two concurrent users of the link creates an account', async (test) => {
      const { server, offer } = await newServer(test);
      const link = await offer();
      const answers = await Promise.all(
        ['ada@example.com', 'eve@example.com'].map((email) => openBrowser(server).post(link, { ...fields, email })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 404]);
    });

    test('links of two starts are valid until one is used, and each expires', async (test) => {
      const { server, offer } = await newServer(test);
      const { clock } = server.server;
      const links = [await offer(), await offer()] as const;
      for (const link of links) assert.equal((await openBrowser(server).open(link)).status, 200);
      const old = await offer(addSeconds(clock.now(), -SET_UP_SECONDS));
      assert.equal((await openBrowser(server).open(old)).status, 404);
      assert.equal((await openBrowser(server).post(old, fields)).status, 404);
      for (const link of ['/setup', '/setup?token=', '/setup?token=unknown']) {
        assert.equal((await openBrowser(server).open(link)).status, 404, link);
      }
      const answers = await Promise.all(links.map((link) => openBrowser(server).post(link, fields)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 404]);
      for (const link of links) assert.equal((await openBrowser(server).open(link)).status, 404);
    });

    test('an invalid input is reported at its field, and does not use up the link', async (test) => {
      const { server, offer } = await newServer(test);
      const link = await offer();
      const browser = openBrowser(server);
      await browser.open(link);
      const wrong = await browser.post(link, { name: ' ', email: 'no "address"', password: 'short' });
      assert.equal(wrong.status, 422);
      assert.match(wrong.text, /at least 12 characters/);
      assert.match(wrong.text, /value="no &#34;address&#34;"/);
      assert.ok(!wrong.text.includes('"short"'), 'a password is not repeated');
      assert.equal((await browser.post(link, {})).status, 422);
      assert.equal((await browser.post(link, fields)).status, 303);
    });

    test('an account that an operator created gets its password by the link, and keeps its id', async (test) => {
      const { server, offer } = await newServer(test);
      const ada = await person(server, 'ada@example.com', 'member');
      const browser = openBrowser(server);
      assert.equal((await browser.post(await offer(), fields)).status, 303);
      const members = (await ada.get('/organizations/default/members')).body.items;
      assert.deepEqual(
        members.map(({ id, role, name }: Record<string, string>) => ({ id, role, name })),
        [{ id: ada.id, role: 'admin', name: 'Ada Lovelace' }],
      );
      const actions = (await ada.get('/organizations/default/audit')).body.items.map(
        ({ action }: { action: string }) => action,
      );
      assert.ok(actions.includes('server.set_up'));
    });

    test('the token is not in the database', async (test) => {
      const { server, offer } = await newServer(test);
      const token = (await offer()).split('=')[1] ?? '';
      const allLinks = platformStatement((query) => query.selectFrom('set_up_link').selectAll());
      const rows = await server.server.store.platform.reads().all(allLinks);
      assert.equal(rows.length, 1);
      assert.ok(token.length > 40 && !JSON.stringify(rows).includes(token));
    });
  });
}
