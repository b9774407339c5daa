import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type MailServer, startMailServer } from '../../../../../test/support/mail-server.ts';
import { type PlatformCaller, person } from '../../../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../../../test/support/server.ts';
import { createOperatorContext } from '../../../../platform/operator/operator.ts';
import { changeUserState } from '../../../../platform/operator/users.ts';
import { Actions } from '../../../../services/actions.ts';
import { Triggers } from '../../../../services/triggers.ts';
import { newId } from '../../../../values/id.ts';

for (const database of databases) {
  describe(`mails of automations on ${database}`, () => {
    let mails: MailServer;
    let server: TestServer;
    let actions: Actions;
    const triggers = new Triggers();
    let admin: PlatformCaller;
    before(async () => {
      mails = await startMailServer();
      server = await startServer({ database, config: mails.config() });
      actions = new Actions(server.server);
      admin = await person(server, 'ada@example.com', 'admin');
      await person(server, 'grace@example.com', 'member');
    });
    after(async () => {
      await actions.settled();
      await server.stop();
      await mails.stop();
    });

    /** Fires an automation that notifies through the block; returns the payload of the event that ends the action. */
    async function notify(block_document_id: string, subject: string, body: string) {
      const expect = [`go.${newId()}`];
      const trigger = { type: 'event', posture: 'Reactive', expect, threshold: 1, within: 0 };
      const action = { type: 'send-notification', block_document_id, subject, body };
      const automation = await server.post('/automations/', { name: 'tells', trigger, actions: [action] });
      assert.equal(automation.status, 201, automation.text);
      const resource = { 'prefect.resource.id': 'thing.1' };
      const occurred = server.context().now;
      await server.post('/events', [{ id: newId(), occurred, event: expect[0], resource, payload: { n: 7 } }]);
      await triggers.runOnce(server.context());
      await actions.runOnce(server.context());
      await actions.settled();
      const filter = {
        occurred: { since: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' },
        event: { prefix: ['prefect.automation.action.'] },
        resource: { id: [`prefect.automation.${automation.body.id}`] },
      };
      const { events } = (await server.post('/events/filter', { filter, limit: 50 })).body;
      return events.find((one: { event: string }) => !one.event.endsWith('triggered'));
    }

    const notifying = async () => {
      const filter = { block_schemas: { block_capabilities: { all_: ['notify'] } }, limit: 50, offset: 0 };
      return (await server.post('/block_documents/filter', filter)).body;
    };

    /** A block of the built-in type with these recipients, made as any client makes a block. */
    async function blockFor(to_emails: unknown) {
      const [{ block_type_id, block_schema_id }] = await notifying();
      const given = { name: `to-${newId()}`, data: { to_emails }, block_type_id, block_schema_id };
      const made = await server.post('/block_documents/', given);
      assert.equal(made.status, 201, made.text);
      return made.body.id;
    }

    test('each workspace has a block that mails the administrators, and any client finds it', async () => {
      const found = await notifying();
      assert.deepEqual(
        found.map((one: { name: string; block_type: { slug: string } }) => [one.name, one.block_type.slug]),
        [['administrators', 'member-email']],
      );
      const event = await notify(
        found[0].id,
        'Run {{ event.payload.n }}\r\nBcc: eve@example.com',
        'See <b>{{ event.payload.n }}</b> & more',
      );
      assert.equal(event.event, 'prefect.automation.action.executed', JSON.stringify(event.payload));
      const mail = await mails.mailTo('ada@example.com');
      assert.equal(mail.subject, 'Run 7 Bcc: eve@example.com');
      assert.equal(mail.headers['bcc'], undefined);
      assert.deepEqual(mail.to, ['ada@example.com']);
      assert.match(mail.text, /^See <b>7<\/b> & more/);
      assert.match(mail.html, /See &#60;b&#62;7&#60;\/b&#62; &#38; more/);
      assert.equal(mails.taken.length, 1, 'members who are no administrators get none');
    });

    test('a new workspace has the block too', async () => {
      const { body } = await admin.post('/organizations/default/workspaces', { name: 'Second', handle: 'second' });
      const prefix = `/accounts/${body.organizationId}/workspaces/${body.id}`;
      const answer = await server.post(`${prefix}/block_types/filter`, {}, { authorization: `Bearer ${admin.key}` });
      assert.ok(
        answer.body.some(({ slug }: { slug: string }) => slug === 'member-email'),
        answer.text.slice(0, 200),
      );
    });

    test('chosen members get it; nobody outside the organization and nobody suspended does', async () => {
      await person(server, 'out@example.com', 'member');
      const operator = createOperatorContext(server.server.store, server.server.clock.now(), server.server);
      await changeUserState(operator, 'out@example.com', 'suspended');
      const block = await blockFor([
        'Grace@example.com',
        'grace@example.com',
        'stranger@example.com',
        'out@example.com',
        7,
      ]);
      const event = await notify(block, 'Hello', 'text');
      assert.equal(event.event, 'prefect.automation.action.failed');
      assert.equal(event.payload.reason, 'Notification failed');
      assert.equal(
        event.payload.notification_log,
        '[ERROR]: stranger@example.com is not an active member of the organization.\n[ERROR]: out@example.com is not an active member of the organization.',
      );
      await mails.mailTo('grace@example.com');
      assert.deepEqual(
        mails.taken.filter(({ subject }) => subject === 'Hello').map(({ to }) => to),
        [['grace@example.com']],
      );
    });

    test('more recipients than a notification may have are refused as a whole', async () => {
      const block = await blockFor(Array.from({ length: 51 }, (_, index) => `p${index}@example.com`));
      const event = await notify(block, 'Many', 'text');
      assert.equal(event.payload.notification_log, '[ERROR]: There are more than 50 recipients.');
    });

    test('a deleted block stays deleted at the next start', async () => {
      const [{ id }] = (await notifying()).filter((one: { name: string }) => one.name === 'administrators');
      await server.delete(`/block_documents/${id}`);
      await server.server.prepareWorkspace(server.server.defaultWorkspace);
      assert.ok(!(await notifying()).some((one: { name: string }) => one.name === 'administrators'));
    });
  });
}

test('without a mail server a workspace has no such block', async () => {
  const server = await startServer();
  assert.equal((await server.get('/block_types/slug/member-email')).status, 404);
  await server.stop();
});
