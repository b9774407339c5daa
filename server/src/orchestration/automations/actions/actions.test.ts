import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { type HttpTarget, startHttpTarget } from '../../../../test/support/http-target.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { Actions } from '../../../services/actions.ts';
import { Triggers } from '../../../services/triggers.ts';
import { newId } from '../../../values/id.ts';
import { addSeconds } from '../../../values/time.ts';

interface Told {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an event is its own assertion
  readonly payload: any;
  readonly resource: Record<string, string>;
  readonly related: readonly Record<string, string>[];
}

for (const database of databases) {
  describe(`actions of automations on ${database}`, () => {
    let server: TestServer;
    let actions: Actions;
    let triggers: Triggers;
    let target: HttpTarget;
    let flow: string;
    let deployment: string;
    before(async () => {
      target = await startHttpTarget();
    });
    after(() => target.stop());
    beforeEach(async () => {
      server = await startServer({ database });
      actions = new Actions(server.server);
      triggers = new Triggers();
      flow = (await server.post('/flows/', { name: 'nightly' })).body.id;
      deployment = (await server.post('/deployments/', { name: 'prod', flow_id: flow, parameters: { base: 1 } })).body
        .id;
      target.received.length = 0;
    });
    afterEach(async () => {
      target.letGo();
      await actions.settled();
      await server.stop();
    });

    const perform = async () => {
      await triggers.runOnce(server.context());
      await actions.runOnce(server.context());
    };

    /** Fires an automation with this single action; returns its id. */
    async function fire(
      action: object,
      event: { resource?: object; related?: readonly object[]; payload?: object } = {},
      more: object = {},
    ): Promise<string> {
      const expect = [`go.${newId()}`];
      const automation = await server.post('/automations/', {
        name: 'my automation',
        trigger: { type: 'event', posture: 'Reactive', expect, threshold: 1, within: 0 },
        actions: [action],
        ...more,
      });
      assert.equal(automation.status, 201, automation.text);
      const given = { resource: { 'prefect.resource.id': 'thing.1', 'a.b': 'deep' }, payload: { n: 1 }, ...event };
      const sent = await server.post('/events', [
        { id: newId(), occurred: server.context().now, event: expect[0], ...given },
      ]);
      assert.equal(sent.status, 204, sent.text);
      return automation.body.id;
    }

    async function toldOf(automation: string): Promise<Told[]> {
      const filter = {
        event: { prefix: ['prefect.automation.action'] },
        resource: { id: [`prefect.automation.${automation}`] },
        order: 'ASC',
      };
      return (await server.post('/events/filter', { filter })).body.events;
    }

    /** Fires, runs the action, and returns the event that reports the outcome. */
    async function outcome(...given: Parameters<typeof fire>): Promise<Told> {
      const id = await fire(...given);
      await perform();
      await actions.settled();
      const told = await toldOf(id);
      assert.deepEqual(
        told.map(({ event }) => event.replace(/.*\./, '')).slice(0, 1),
        ['triggered'],
        JSON.stringify(told),
      );
      assert.equal(told.length, 2);
      return told[1]!;
    }

    async function block(slug: string, data: object): Promise<string> {
      const type = (await server.get(`/block_types/slug/${slug}`)).body;
      const [schema] = (
        await server.post('/block_schemas/filter', { block_schemas: { block_type_id: { any_: [type.id] } } })
      ).body;
      const document = { name: `block-${newId()}`, data, block_type_id: type.id, block_schema_id: schema.id };
      return (await server.post('/block_documents/', document)).body.id;
    }

    async function run(type = 'RUNNING'): Promise<string> {
      return (await server.post('/flow_runs/', { flow_id: flow, state: { type } })).body.id;
    }
    async function automationThatStartsItself(): Promise<string> {
      const { body } = await server.post('/automations/', {
        name: 'loop',
        enabled: false,
        trigger: { type: 'event', posture: 'Reactive', expect: ['prefect.flow-run.Running'] },
        actions: [{ type: 'run-deployment', source: 'inferred' }],
      });
      return body.id;
    }
    const about = (kind: string, id: string) => ({ resource: { 'prefect.resource.id': `prefect.${kind}.${id}` } });

    test('a run of a deployment is created once, with rendered parameters and the automation as its creator', async () => {
      const told = await outcome({
        type: 'run-deployment',
        source: 'selected',
        deployment_id: deployment,
        parameters: { n: '{{ event.payload.n }}', text: 'is {{ event.resource.labels.a.b }}', f: 1.0 },
        schedule_after: 3600,
      });
      assert.equal(told.event, 'prefect.automation.action.executed');
      assert.equal(told.payload.status_code, 201);
      await perform();
      const runs = (await server.post('/flow_runs/filter', {})).body;
      assert.equal(runs.length, 1);
      assert.deepEqual(runs[0].parameters, { base: 1, n: 1, text: 'is deep', f: 1 });
      assert.equal(runs[0].created_by.type, 'AUTOMATION');
      assert.equal(runs[0].created_by.display_value, 'my automation');
      assert.match(runs[0].idempotency_key, /^automation .*, action 0, invocation /);
      assert.deepEqual(
        told.related.map((resource) => resource['prefect.resource.role']),
        ['target', 'flow-run', 'automation-triggered-event', 'triggering-event'],
      );
    });

    test('an action fails with a reason when its target is missing, ambiguous or refused, and the next action runs', async () => {
      const reasons = [
        [{ type: 'run-deployment', source: 'inferred' }, {}, 'No deployment could be inferred'],
        [{ type: 'pause-work-pool', source: 'inferred' }, {}, 'No work pool could be inferred'],
        [{ type: 'cancel-flow-run' }, {}, 'No flow run could be inferred'],
        [
          { type: 'pause-deployment', source: 'selected', deployment_id: newId() },
          {},
          "Unexpected status from 'pause-deployment' action: 404",
        ],
        [
          { type: 'resume-flow-run' },
          about('flow-run', newId()),
          "Unexpected status from 'resume-flow-run' action: 404",
        ],
        [
          { type: 'cancel-flow-run' },
          about('flow-run', await run('COMPLETED')),
          'Failed to set state: Run is already in terminal state COMPLETED.',
        ],
        [
          { type: 'send-notification', block_document_id: newId(), body: 'x' },
          {},
          "Unexpected status from 'send-notification' action: 404",
        ],
        [
          { type: 'run-deployment', source: 'selected', deployment_id: deployment, parameters: { a: '{{ 1 / 0 }}' } },
          {},
          /ZeroDivisionError/,
        ],
        [
          {
            type: 'run-deployment',
            source: 'selected',
            deployment_id: deployment,
            parameters: { a: 'x'.repeat(600_000) },
          },
          {},
          /^Unable to create flow run from deployment: .*Flow run parameters must be less than 524,288 bytes/,
        ],
        [
          { type: 'resume-automation', source: 'selected', automation_id: await automationThatStartsItself() },
          {},
          "Validation error occurred for 'resume-automation'",
        ],
      ] as const;
      for (const [action, event, reason] of reasons) {
        const told = await outcome(action, event);
        assert.equal(told.event, 'prefect.automation.action.failed');
        if (typeof reason === 'string') assert.equal(told.payload.reason, reason);
        else assert.match(told.payload.reason, reason);
      }
      assert.deepEqual(
        (await server.post('/flow_runs/filter', { flow_runs: { deployment_id: { any_: [deployment] } } })).body,
        [],
      );
    });

    test('flow runs are cancelled, changed, suspended, resumed and deleted', async () => {
      const stateOf = async (id: string) => {
        const { state } = (await server.get(`/flow_runs/${id}`)).body;
        return `${state.type} ${state.name} ${state.message}`;
      };
      const id = await run();
      const change = { type: 'change-flow-run-state', state: 'PENDING', name: 'Odd', message: 'why not', force: true };
      assert.equal((await outcome(change, about('flow-run', id))).payload.status_code, 201);
      assert.equal(await stateOf(id), 'PENDING Odd why not');
      const running = (
        await server.post('/flow_runs/', { flow_id: flow, deployment_id: deployment, state: { type: 'RUNNING' } })
      ).body.id;
      await outcome({ type: 'suspend-flow-run' }, about('flow-run', running));
      assert.match(await stateOf(running), /^PAUSED Suspended Suspended by Automation /);
      await outcome({ type: 'resume-flow-run' }, about('flow-run', running));
      assert.match(await stateOf(running), /^SCHEDULED Resuming/);
      const cancelled = await run();
      await outcome(
        { type: 'cancel-flow-run' },
        { related: [{ ...about('flow-run', cancelled).resource, 'prefect.resource.role': 'flow-run' }] },
      );
      assert.match(await stateOf(cancelled), /^CANCELLING Cancelling Cancelled by Automation /);
      await outcome({ type: 'delete-flow-run' }, about('flow-run', id));
      assert.equal((await server.get(`/flow_runs/${id}`)).status, 404);
    });

    test('deployments, pools, queues and automations are paused and resumed', async () => {
      const pool = (await server.post('/work_pools/', { name: 'pool', type: 'process' })).body;
      const queue = (await server.post('/work_pools/pool/queues', { name: 'queue' })).body;
      const other = await fire({ type: 'do-nothing' });
      const flags = async () => [
        (await server.get(`/deployments/${deployment}`)).body.paused,
        (await server.get('/work_pools/pool')).body.is_paused,
        (await server.get(`/work_queues/${queue.id}`)).body.is_paused,
        !(await server.get(`/automations/${other}`)).body.enabled,
      ];
      for (const verb of ['pause', 'resume']) {
        await outcome({ type: `${verb}-deployment`, source: 'selected', deployment_id: deployment });
        const told = await outcome({ type: `${verb}-work-pool`, source: 'inferred' }, about('work-pool', pool.id));
        assert.equal(told.related[0]?.['prefect.resource.name'], 'pool');
        await outcome({ type: `${verb}-work-queue`, source: 'inferred' }, about('work-queue', queue.id));
        await outcome({ type: `${verb}-automation`, source: 'selected', automation_id: other });
        assert.deepEqual(
          await flags(),
          [verb, verb, verb, verb].map((given) => given === 'pause'),
        );
      }
    });

    test('a webhook is called with the rendered payload, and its answer is recorded without secrets', async () => {
      const hook = await block('webhook', {
        url: `${target.url}/hook?key=s3cret`,
        headers: { 'X-Key': 's3cr3t-header' },
      });
      const told = await outcome({
        type: 'call-webhook',
        block_document_id: hook,
        payload: { id: '{{ event.resource.id }}' },
      });
      assert.deepEqual(
        target.received.map(({ method, url, body }) => [method, url, JSON.parse(body)]),
        [['POST', '/hook?key=s3cret', { id: 'thing.1' }]],
      );
      assert.equal(told.payload.status_code, 200);
      assert.equal(told.payload.response_body, 'got ********');
      assert.equal(told.payload.response_headers['x-echo'], '********');
      assert.doesNotMatch(JSON.stringify(told), /s3cr3t|s3cret|handed-out/);
    });

    test('a webhook with a signing secret is signed as Standard Webhooks say, and the secret stays here', async () => {
      const key = Buffer.from('0123456789abcdef0123456789abcdef');
      const headers = { 'Webhook-Signing-Secret': `whsec_${key.toString('base64')}`, 'X-Other': 'kept' };
      const hook = await block('webhook', { url: `${target.url}/signed`, headers });
      const begun = Math.floor(Date.now() / 1000);
      const told = await outcome({ type: 'call-webhook', block_document_id: hook, payload: 'Grüße' });
      const [{ headers: sent, body } = assert.fail('nothing was sent')] = target.received;
      const [id, time] = [String(sent['webhook-id']), String(sent['webhook-timestamp'])];
      const wanted = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
      assert.equal(sent['webhook-signature'], `v1,${wanted}`);
      assert.ok(Number(time) >= begun && Number(time) <= Date.now() / 1000 + 1, time);
      assert.deepEqual([sent['x-other'], body], ['kept', 'Grüße']);
      assert.doesNotMatch(JSON.stringify([sent, told]), /whsec_|webhook-signing-secret/);
      const short = await block('webhook', {
        url: target.url,
        headers: { 'webhook-signing-secret': 'whsec_c2hvcnQ=' },
      });
      const { payload } = await outcome({ type: 'call-webhook', block_document_id: short, payload: 'x' });
      assert.match(payload.reason, /header webhook-signing-secret must be whsec_ and 24 to 64 bytes/);
      assert.doesNotMatch(payload.reason, /c2hvcnQ/);
      assert.equal(target.received.length, 1);
    });

    test('a notification is sent through its block, and a refusal by the target is a failure', async () => {
      const good = await block('custom-webhook', {
        name: 'mine',
        url: `${target.url}/note`,
        json_data: { text: '{{subject}}: {{body}}', token: '{{tok}}' },
        secrets: { tok: 's3cret' },
      });
      const body = '{{ event.event }} {{tok}} {{ "{{tok}}" }}';
      const told = await outcome({ type: 'send-notification', block_document_id: good, subject: 'Hello', body });
      assert.equal(told.event, 'prefect.automation.action.executed');
      const sent = JSON.parse(target.received[0]?.body ?? '');
      assert.match(sent.text, /^Hello: go\..* {2}\{\{tok\}\}$/);
      assert.equal(sent.token, 's3cret');
      const bad = await block('custom-webhook', {
        name: 'mine',
        url: `${target.url}/500`,
        headers: { 'x-key': '{{tok}}' },
        secrets: { tok: 'echoed-secret' },
      });
      const failed = await outcome({ type: 'send-notification', block_document_id: bad, body: 'x' });
      assert.equal(target.received.at(-1)?.headers['x-key'], 'echoed-secret');
      assert.equal(failed.payload.reason, 'Notification failed');
      assert.match(failed.payload.notification_log, /500 Internal Server Error/);
      assert.doesNotMatch(failed.payload.notification_log, /echoed-secret/, 'the target repeats what it was sent');
    });

    test('private targets are refused where the block or the operator forbids them', async () => {
      const strict = await block('webhook', { url: `${target.url}/s3cret`, allow_private_urls: false });
      const refused = await outcome({ type: 'call-webhook', block_document_id: strict, payload: 'x' });
      assert.match(refused.payload.reason, /^Webhook call failed: .* private address 127\.0\.0\.1/);
      const metadata = await block('webhook', { url: 'http://169.254.169.254/latest/meta-data/' });
      const always = await outcome({ type: 'call-webhook', block_document_id: metadata, payload: 'x' });
      assert.match(always.payload.reason, /forbidden address/);
      assert.equal(target.received.length, 0);
      const careful = await startServer({ database, config: { allowPrivateTargets: false } });
      await server.stop();
      server = careful;
      const hook = await block('webhook', { url: target.url });
      assert.match(
        (await outcome({ type: 'call-webhook', block_document_id: hook, payload: 'x' })).payload.reason,
        /private address/,
      );
      assert.equal(target.received.length, 0);
    });

    test('targets that do not answer delay no other action', async () => {
      const hanging = await block('webhook', { url: `${target.url}/hang` });
      for (let count = 0; count < 12; count++)
        await fire({ type: 'call-webhook', block_document_id: hanging, payload: 'x' });
      const id = await run();
      const change = await fire({ type: 'change-flow-run-state', state: 'COMPLETED' }, about('flow-run', id));
      const hook = await block('webhook', { url: `${target.url}/quick` });
      await fire({ type: 'call-webhook', block_document_id: hook, payload: 'x' });
      await perform();
      assert.equal((await toldOf(change)).length, 2);
      await target.arrived(5);
      assert.deepEqual(target.received.map(({ url }) => url).sort(), ['/hang', '/hang', '/hang', '/hang', '/quick']);
      for (let round = 0; round < 3; round++) {
        target.letGo();
        await actions.settled();
        await actions.runOnce(server.context());
        await target.arrived(Math.min(13, 9 + 4 * round));
      }
      assert.equal(target.received.length, 13);
    });

    test('an action whose process died during the call is reported as failed, once, and is not repeated', async () => {
      const hanging = await block('webhook', { url: `${target.url}/hang` });
      const id = await fire({ type: 'call-webhook', block_document_id: hanging, payload: 'x' });
      await perform();
      await target.arrived(1);
      const replica = new Actions(server.server);
      const soon = server.context();
      await replica.runOnce(soon);
      assert.equal((await toldOf(id)).length, 0);
      await replica.runOnce({ ...soon, now: addSeconds(soon.now, 600) });
      target.letGo();
      await actions.settled();
      const told = await toldOf(id);
      assert.equal(told.length, 2);
      assert.match(told[1]?.payload.reason, /stopped while it ran this action/);
      assert.equal(target.received.length, 1);
    });

    test('replicas that look at the same time run each action once', async () => {
      for (let count = 0; count < 20; count++) {
        await fire({ type: 'run-deployment', source: 'selected', deployment_id: deployment });
      }
      await triggers.runOnce(server.context());
      const replicas = [actions, new Actions(server.server), new Actions(server.server)];
      await Promise.all(replicas.map((replica) => replica.runOnce(server.context())));
      assert.equal((await server.post('/flow_runs/count', {})).body, 20);
      const filter = { event: { name: ['prefect.automation.action.executed'] } };
      assert.equal((await server.post('/events/filter', { filter, limit: 50 })).body.total, 20);
    });

    test('an action of a deleted automation does not run', async () => {
      const id = await run();
      const automation = await fire({ type: 'cancel-flow-run' }, about('flow-run', id));
      await triggers.runOnce(server.context());
      await server.delete(`/automations/${automation}`);
      await actions.runOnce(server.context());
      assert.equal((await server.get(`/flow_runs/${id}`)).body.state_type, 'RUNNING');
      assert.match((await toldOf(automation))[1]?.payload.reason, /deleted/);
    });

    test("templates see the event's objects and variables, and a hostile template causes a failure", async () => {
      await server.post('/variables/', { name: 'channel', value: { id: 7 } });
      const id = await run();
      const hook = await block('webhook', { url: target.url });
      const lines = [
        '{{ flow_run.name == "" }} {{ flow.name }} {{ flow_run.state.name }} {{ flow_run.state }}',
        '{{ labels.x }}{{ nothing.at.all }}{{ variables.channel.id }} {{ automation.name }}',
        '{{ event.occurred.year > 2000 }} {{ event.follows }} {{ "x/flow-run/11111111-1111-4111-8111-111111111111" | flow_run_id }}',
        '{{ flow_run | ui_url }} {{ firing.triggering_event.id == event.id }} {{ events | length }}',
      ];
      await outcome(
        { type: 'call-webhook', block_document_id: hook, payload: lines.join('\n') },
        {
          resource: {
            ...about('flow-run', id).resource,
            'prefect.state-name': 'Odd',
            'prefect.state-type': 'FAILED',
            'prefect.state-message': 'boom',
          },
          related: [{ 'prefect.resource.id': `prefect.flow.${flow}`, 'prefect.resource.role': 'flow' }],
        },
      );
      assert.deepEqual(target.received[0]?.body.split('\n'), [
        "False nightly Odd Odd('boom', type=FAILED)",
        '7 my automation',
        'True None 11111111-1111-4111-8111-111111111111',
        `http://127.0.0.1:4200/runs/flow-run/${id} True 1`,
      ]);
      const evil = '{% for a in range(100) %}{% for b in range(100) %}{{ "x" * 100000 }}{% endfor %}{% endfor %}';
      const told = await outcome({ type: 'call-webhook', block_document_id: hook, payload: evil });
      assert.match(told.payload.reason, /^Template rendering failed: /);
      assert.equal(target.received.length, 1);
    });
  });
}
