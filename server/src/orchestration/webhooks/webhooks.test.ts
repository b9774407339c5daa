import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { person } from '../../../test/support/platform.ts';
import { type Answer, databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { reactive, triggerWorld } from '../../../test/support/triggers.ts';
import { microsecondsOf } from '../../values/time.ts';

const template = `{
  "event": "model.refreshed",
  "resource": { "prefect.resource.id": {{ ("model." ~ body.model) | tojson }}, "by": {{ headers["X-Sender"] | tojson }} }
}`;
const fixed = '{ "event": "door.opened", "resource": { "prefect.resource.id": "door.1" } }';
const hmac = (secret: string | Buffer, text: string) => createHmac('sha256', secret).update(text);

for (const database of databases) {
  describe(`webhooks on ${database}`, () => {
    let server: TestServer;
    const lines: string[] = [];
    const { begin, pass, firedBy } = triggerWorld({ server: () => server });
    before(async () => {
      server = await startServer({ database, onLogLine: (line) => lines.push(line) });
    });
    after(() => server.stop());

    const create = async (more: object = {}) => {
      const answer = await server.post('/webhooks/', { name: 'models', template, ...more });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    };
    const call = (hook: { url: string }, body?: string, headers: Record<string, string> = {}, method = 'POST') =>
      server.request(method, new URL(hook.url).pathname, body, { 'content-type': 'application/json', ...headers });
    const eventsOf = async (hook: { id: string }) =>
      (await server.post('/events/filter', { filter: { related: { id: [`prefect.webhook.${hook.id}`] } } })).body
        .events;
    const requestsOf = async (hook: { id: string }) => (await server.get(`/webhooks/${hook.id}/requests`)).body;

    test('a request becomes an event that fires an automation, and names its webhook', async () => {
      const { automate } = begin();
      const automation = await automate(
        reactive({ expect: ['model.refreshed'], match: { 'prefect.resource.id': 'model.churn' } }),
      );
      const hook = await create();
      const answer = await call(hook, '{"model":"churn"}', { 'X-Sender': 'nightly "job"', authorization: 'Bearer s' });
      assert.deepEqual([answer.status, answer.text], [204, '']);
      const [event] = await eventsOf(hook);
      assert.deepEqual(event.resource, { 'prefect.resource.id': 'model.churn', by: 'nightly "job"' });
      assert.deepEqual(event.related[0]['prefect.resource.role'], 'webhook');
      assert.deepEqual(event.payload.body, { model: 'churn' });
      assert.deepEqual([event.payload.method, event.payload.headers.authorization], ['POST', undefined]);
      await pass(1);
      assert.deepEqual(await firedBy(automation), [event.id]);
      const [request] = await requestsOf(hook);
      assert.deepEqual([request.refused, request.status, request.event_id], [false, 204, event.id]);
    });

    test('no header that holds a credential of the sender reaches the event', async () => {
      const hook = await create();
      const names = [
        'X-Auth-Token',
        'X-Webhook-Secret',
        'X-Telegram-Bot-Api-Secret-Token',
        'Api-Key',
        'X-ApiKey',
        'X-Auth',
        'X-Password',
        'Proxy-Authorization',
        'X-Hub-Signature',
        'Cookie',
      ];
      const headers = Object.fromEntries(names.map((name) => [name, 'canary-of-a-header']));
      const answer = await call(hook, '{"model":"churn"}', { ...headers, 'X-Sender': 'a', 'X-Author': 'b' });
      assert.equal(answer.status, 204, answer.text);
      const [event] = await eventsOf(hook);
      assert.doesNotMatch(JSON.stringify(event), /canary-of-a-header/);
      assert.equal(event.payload.headers['x-author'], 'b');
    });

    test('static templates, forms and other methods work', async () => {
      const fixedHook = await create({ template: fixed });
      assert.equal((await server.request('GET', new URL(fixedHook.url).pathname)).status, 204);
      assert.equal((await eventsOf(fixedHook))[0].event, 'door.opened');
      const hook = await create();
      const form = { 'content-type': 'application/x-www-form-urlencoded', 'x-sender': 'f' };
      assert.equal((await call(hook, 'model=a+b', form, 'PUT')).status, 204);
      assert.equal((await eventsOf(hook))[0].resource['prefect.resource.id'], 'model.a b');
    });

    test('the address is shown once, ends when it is rotated or disabled, and unknown ones answer alike', async () => {
      const hook = await create({ template: fixed });
      assert.match(hook.slug, /^sbh_\w{49}$/);
      const shown = (await server.get(`/webhooks/${hook.id}`)).body;
      assert.equal(shown.slug, `${hook.slug.slice(0, 8)}…`);
      const issued = (await server.post(`/webhooks/${hook.id}/rotate`)).body;
      assert.notEqual(issued.slug, hook.slug);
      const unknown = await call({ url: hook.url.replace(/.$/, '_') });
      for (const answer of [await call(hook), unknown]) {
        assert.deepEqual([answer.status, answer.text], [404, unknown.text]);
      }
      assert.equal((await call(issued)).status, 204);
      assert.equal((await server.patch(`/webhooks/${hook.id}`, { enabled: false })).status, 204);
      assert.deepEqual([(await call(issued)).status, (await call(issued)).text], [404, unknown.text]);
      const replacement = { name: 'n', description: '', template: fixed };
      assert.equal((await server.put(`/webhooks/${hook.id}`, replacement)).status, 204);
      assert.equal((await server.get(`/webhooks/${hook.id}`)).body.enabled, false);
      const pageOne = (await server.post('/webhooks/filter', { limit: 1 })).body;
      assert.equal(pageOne.length, 1);
      assert.ok((await server.post('/webhooks/filter')).body.length > 1);
    });

    test('requests that make no event are refused, with a reason for those who manage the webhook', async () => {
      const hook = await create();
      const refused = async (body: string, expected: RegExp, type = 'application/json') => {
        const answer = await call(hook, body, { 'content-type': type });
        assert.equal(answer.status, 400, answer.text);
        assert.ok(!answer.text.includes('canary'), answer.text);
        assert.match((await requestsOf(hook))[0].reason, expected);
      };
      await refused('{"model": canary', /The body is not JSON/);
      await refused('"canary"', /does not render a valid event|fails/);
      await server.patch(`/webhooks/${hook.id}`, { template: '{{ body | tojson }}' });
      await refused('[1]', /does not render a JSON object/);
      await refused('{"event":"x"}', /resource: Field required/);
      await refused('{"event":"prefect.flow-run.Failed","resource":{"prefect.resource.id":"x"}}', /of the server/);
      assert.deepEqual(await eventsOf(hook), []);
      assert.ok((await server.get(`/webhooks/${hook.id}`)).body.last_failure);
      assert.equal((await call(hook, `"${'x'.repeat(600_000)}"`)).status, 413);
      for (let count = 0; count < 20; count++) await call(hook, '[]');
      assert.equal((await requestsOf(hook)).length, 20);
      assert.ok(!lines.some((line) => line.includes('canary') || line.includes(hook.slug)));
    });

    test('signatures of the usual senders are checked', async () => {
      const now = Math.floor(microsecondsOf(server.server.clock.now()) / 1_000_000);
      const body = '{"a":1}';
      const stripe = (secret: string, time: number) => ({
        'stripe-signature': `t=${time},v1=00,v1=${hmac(secret, `${time}.${body}`).digest('hex')}`,
      });
      const slack = (secret: string, time: number) => ({
        'x-slack-request-timestamp': String(time),
        'x-slack-signature': `v0=${hmac(secret, `v0:${time}:${body}`).digest('hex')}`,
      });
      const standard = (secret: string, time: number) => ({
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(time),
        'webhook-signature': `v1,AAAA v1,${hmac(Buffer.from(secret.slice(6), 'base64'), `msg_1.${time}.${body}`).digest('base64')}`,
      });
      const schemes: Record<string, (secret: string, time: number) => Record<string, string>> = {
        github: (secret) => ({ 'x-hub-signature-256': `sha256=${hmac(secret, body).digest('hex')}` }),
        gitlab: (secret) => ({ 'x-gitlab-token': secret }),
        stripe,
        slack,
        standard_webhooks: standard,
      };
      for (const [signature, sign] of Object.entries(schemes)) {
        const given = ['stripe', 'slack'].includes(signature) ? { signature_secret: 'a secret of 24 characters' } : {};
        const hook = await create({ template: fixed, signature, ...given });
        const secret = hook.signature_secret;
        const status = async (answer: Promise<Answer>) => (await answer).status;
        assert.equal(await status(call(hook, body, sign(secret, now))), 204, signature);
        assert.equal(await status(call(hook, body)), 401, signature);
        const other = signature === 'standard_webhooks' ? `whsec_${Buffer.alloc(32).toString('base64')}` : 'other';
        assert.equal(await status(call(hook, body, sign(other, now))), 401, signature);
        if (signature !== 'gitlab')
          assert.equal(await status(call(hook, '{"a":2}', sign(secret, now))), 401, signature);
        if (!['github', 'gitlab'].includes(signature)) {
          assert.equal(await status(call(hook, body, sign(secret, now - 301))), 401, signature);
          assert.match((await requestsOf(hook))[0].reason, /5 minutes old/);
        }
        if (signature === 'standard_webhooks') {
          assert.equal(await status(call(hook, body, sign(secret, now))), 204);
          assert.equal((await eventsOf(hook)).length, 1, 'a repeated message is one event');
        }
        const texts = JSON.stringify([
          await requestsOf(hook),
          await eventsOf(hook),
          await server.get(`/webhooks/${hook.id}`),
        ]);
        assert.ok(!texts.includes(secret), signature);
        const changed = (await server.post(`/webhooks/${hook.id}/signature`, { signature: 'github' })).body;
        assert.equal(await status(call(hook, body, schemes['github']!(changed.signature_secret, now))), 204);
      }
      assert.equal((await server.post('/webhooks/', { name: 's', template, signature: 'stripe' })).status, 422);
      const short = { name: 's', template, signature: 'github', signature_secret: 'short canary' };
      const answer = await server.post('/webhooks/', short);
      assert.deepEqual([answer.status, answer.text.includes('canary')], [422, false]);
      const challenge = '{"type":"url_verification","challenge":"c1"}';
      const slackHook = await create({ template: fixed, signature: 'slack', signature_secret: 'a secret of Slack' });
      const signed = {
        'x-slack-request-timestamp': String(now),
        'x-slack-signature': `v0=${hmac('a secret of Slack', `v0:${now}:${challenge}`).digest('hex')}`,
      };
      assert.equal((await call(slackHook, challenge, signed)).text, 'c1');
    });

    test('too many requests are answered 429 and leave no trace', async () => {
      const small = await startServer({ database, config: { webhookRequestsPerMinute: 3 } });
      const hook = (await small.post('/webhooks/', { name: 'n', template: fixed })).body;
      const path = new URL(hook.url).pathname;
      const statuses = [];
      for (let count = 0; count < 5; count++) statuses.push((await small.request('POST', path)).status);
      const { headers } = await small.request('POST', path);
      assert.deepEqual(statuses, [204, 204, 204, 429, 429]);
      assert.ok(Number(headers['retry-after']) >= 1);
      assert.equal((await small.get(`/webhooks/${hook.id}/requests`)).body.length, 3);
      await small.stop();
    });

    test('changes are events, and the audit names who made them', async () => {
      const admin = await person(server, 'ada@example.com', 'admin');
      const { id: org } = (await admin.get('/organizations/default')).body;
      const made = (await admin.post('/organizations/default/workspaces', { name: 'w', handle: 'w' })).body;
      const hosted = `/api/accounts/${org}/workspaces/${made.id}`;
      const key = { authorization: `Bearer ${admin.key}`, 'content-type': 'application/json' };
      const send = (method: string, path: string, body?: object) =>
        server.request(method, `${hosted}${path}`, body && JSON.stringify(body), key);
      const hook = (await send('POST', '/webhooks/', { name: 'audited', template: fixed })).body;
      assert.match(hook.url, /^http:\/\/[^/]+\/hooks\/sbh_/);
      await send('POST', `/webhooks/${hook.id}/rotate`);
      await send('DELETE', `/webhooks/${hook.id}`);
      const entries = (await admin.get('/organizations/default/audit')).body.items.filter(
        ({ targetId }: { targetId: string }) => targetId === hook.id,
      );
      assert.deepEqual(
        entries.map(({ action }: { action: string }) => action),
        ['webhook.delete', 'webhook.rotate', 'webhook.create'],
      );
      const events = (await send('POST', '/events/filter', { filter: { event: { prefix: ['prefect.webhook.'] } } }))
        .body;
      assert.equal(events.events.length, 3);
      assert.ok(!JSON.stringify([entries, events]).includes(hook.slug));
    });
  });
}
