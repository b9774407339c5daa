import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { newId } from '../../values/id.ts';

type Body = Record<string, unknown>;

const trigger = { type: 'event', posture: 'Reactive', expect: ['door.opened'] };

for (const database of databases) {
  describe(`automations on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const create = (body: Body = {}) =>
      server.post('/automations/', { name: 'a', trigger, actions: [{ type: 'do-nothing' }], ...body });

    test('omitted fields get defaults, and triggers get ids', async () => {
      const id = newId();
      const { status, body } = await create({
        trigger: {
          type: 'sequence',
          id,
          within: 5,
          triggers: [
            { ...trigger, id },
            { ...trigger, within: 'PT1M' },
          ],
        },
      });
      assert.equal(status, 201);
      const [first, second] = body.trigger.triggers;
      assert.notEqual(body.trigger.id, id);
      assert.notEqual(first.id, id);
      assert.notEqual(first.id, second.id);
      assert.deepEqual(Object.keys(first), [
        'type',
        'id',
        'match',
        'match_related',
        'after',
        'expect',
        'for_each',
        'posture',
        'threshold',
        'within',
      ]);
      assert.deepEqual([body.description, body.enabled, body.tags], ['', true, []]);
      const read = await server.get(`/automations/${body.id}`);
      assert.match(read.text, /"within":60\.0/);
      assert.deepEqual(read.body, body);
    });

    test('actions are returned complete', async () => {
      const id = newId();
      const { body } = await create({
        actions: [
          { type: 'run-deployment', source: 'inferred', parameters: { a: 1.5 }, schedule_after: 'PT5M' },
          { type: 'change-flow-run-state', state: 'FAILED' },
          { type: 'call-webhook', block_document_id: id, payload: { a: [1, 'é'] } },
        ],
      });
      assert.deepEqual(body.actions, [
        {
          type: 'run-deployment',
          source: 'inferred',
          deployment_id: null,
          parameters: { a: 1.5 },
          job_variables: null,
          schedule_after: 300,
        },
        { type: 'change-flow-run-state', name: null, state: 'FAILED', message: null, force: false },
        {
          type: 'call-webhook',
          block_document_id: id,
          payload: '{\n  "a": [\n    1,\n    "é"\n  ]\n}',
        },
      ]);
    });

    test('a proactive trigger waits at least ten seconds', async () => {
      const { body } = await create({ trigger: { ...trigger, posture: 'Proactive' } });
      assert.equal(body.trigger.within, 10);
      for (const within of ['PT0S', 'P0D', '00:00:00', '-PT0S', false, 0, 'PT10S']) {
        const filled = await create({ trigger: { ...trigger, posture: 'Proactive', within } });
        assert.equal(filled.body.trigger?.within, 10, JSON.stringify(within));
      }
      for (const [within, repeated] of [
        ['PT5S', '5.0'],
        [5, '5.0'],
        ['-PT10S', '-10.0'],
        [true, '1.0'],
      ] as const) {
        const refused = await create({ trigger: { ...trigger, posture: 'Proactive', within } });
        assert.equal(refused.status, 422);
        const [first] = refused.body.exception_detail;
        assert.deepEqual([first.type, first.loc], ['value_error', ['body', 'trigger', 'EventTrigger']]);
        // In every form that a trigger may have.
        assert.ok(refused.text.split(`"within":${repeated}`).length > 3, refused.text);
      }
      const short = await create({ trigger: { ...trigger, posture: 'Proactive', within: 5 } });
      assert.equal(short.status, 422);
      assert.match(
        short.body.exception_detail[0].msg,
        /`within` for Proactive triggers must be greater than or equal to 10 seconds/,
      );
    });

    test('an invalid trigger is reported for each branch', async () => {
      const { status, body } = await create({
        trigger: { type: 'compound', triggers: [trigger], require: 2, within: 1 },
      });
      assert.equal(status, 422);
      const told = body.exception_detail.map(({ loc, msg }: { loc: string[]; msg: string }) => [loc[2], msg]);
      assert.deepEqual(told[2], [
        'function-after[validate_require(), function-after[validate_require(), CompoundTrigger]]',
        'Value error, require must be less than or equal to the number of triggers',
      ]);
    });

    test('an invalid template is refused', async () => {
      const { status, text } = await create({
        actions: [{ type: 'send-notification', block_document_id: newId(), body: '{{ x' }],
      });
      assert.equal(status, 422);
      assert.match(text, /'body' is not a valid template: unexpected end of template/);
    });

    test('a selected object of an action must be named, an inferred one must not', async () => {
      const missing = await create({ actions: [{ type: 'pause-work-pool' }] });
      assert.match(missing.text, /Value error, work_pool_id is required/);
      const extra = await create({ actions: [{ type: 'pause-work-pool', source: 'inferred', work_pool_id: newId() }] });
      assert.match(extra.text, /Value error, work_pool_id is not allowed/);
    });

    test('an automation that would start runs endlessly is refused, unless it is off or narrow', async () => {
      const started = { ...trigger, expect: ['prefect.flow-run.Running'] };
      const inferred = [{ type: 'run-deployment', source: 'inferred' }];
      const selected = [{ type: 'run-deployment', deployment_id: newId() }];
      assert.match((await create({ trigger: started, actions: inferred })).text, /will lead to an infinite loop/);
      assert.match((await create({ trigger: started, actions: selected })).text, /may lead to an infinite loop/);
      const narrow = { ...started, match_related: { 'prefect.resource.name': 'other-flow' } };
      assert.equal((await create({ trigger: narrow, actions: selected })).status, 201);
      assert.equal((await create({ trigger: narrow, actions: inferred })).status, 422);
      assert.equal((await create({ trigger: started, actions: selected, enabled: false })).status, 201);
    });

    test('labels make an automation narrow when none of their alternatives matches every run', async () => {
      const id = 'prefect.resource.id';
      const any = { [id]: 'prefect.flow-run.*' };
      const other = { env: 'prod' };
      const loops: [Body, unknown][] = [
        [{}, {}],
        [any, any],
        [{ [id]: ['a', 'prefect.flow-run.*'] }, {}],
        [{ [id]: ['prefect.flow-run.*', '!a'] }, [{}]],
        [{}, [any, other]],
        [{}, [other, {}]],
      ];
      const narrow: [Body, unknown][] = [
        [{}, other],
        [{}, []],
        [{}, [other]],
        [{ ...any, ...other }, {}],
        [{ [id]: '!prefect.flow-run.*' }, {}],
        [{ [id]: 'prefect.*' }, {}],
      ];
      const statusOf = async ([match, match_related]: [Body, unknown]) =>
        (
          await create({
            trigger: { ...trigger, expect: ['prefect.flow-run.Pending'], match, match_related },
            actions: [{ type: 'run-deployment', deployment_id: newId() }],
          })
        ).status;
      for (const labels of loops) assert.equal(await statusOf(labels), 422, JSON.stringify(labels));
      for (const labels of narrow) assert.equal(await statusOf(labels), 201, JSON.stringify(labels));
    });

    test('the first action that would start runs endlessly is named', async () => {
      const started = { ...trigger, expect: ['prefect.flow-run.Running'] };
      const inferred = { type: 'run-deployment', source: 'inferred' };
      const selected = { type: 'run-deployment', deployment_id: newId() };
      assert.match((await create({ trigger: started, actions: [selected, inferred] })).text, /may lead to/);
      assert.match((await create({ trigger: started, actions: [inferred, selected] })).text, /will lead to/);
    });

    test('an automation that would start runs endlessly cannot be switched on', async () => {
      const started = { ...trigger, expect: ['prefect.flow-run.Running'], within: 20.5 };
      const loops = [
        [{ type: 'run-deployment', source: 'inferred', schedule_after: 60 }],
        [{ type: 'run-deployment', deployment_id: newId() }],
      ];
      for (const actions of loops) {
        const { body: made } = await create({ trigger: started, actions, enabled: false });
        const path = `/automations/${made.id}`;
        for (const change of [{ enabled: true }, {}]) {
          const { status, body } = await server.patch(path, change);
          assert.equal(status, 422);
          assert.equal(body.exception_message, 'Invalid request received.');
          const [fault, ...others] = body.exception_detail;
          assert.deepEqual(others, []);
          assert.match(fault.msg, /^Value error, Running an? (inferred|selected) deployment .* infinite loop/);
          assert.deepEqual(fault.loc, []);
          assert.deepEqual(fault.input, { ...made, enabled: true });
          assert.equal(fault.url, 'https://errors.pydantic.dev/2.14/v/value_error');
        }
        assert.equal((await server.patch(path, { enabled: false })).status, 204);
        const { updated, ...stored } = (await server.get(path)).body;
        assert.deepEqual({ ...stored, updated: made.updated }, made);
      }
      const { body: narrow } = await create({
        trigger: { ...started, match: { 'prefect.resource.id': 'prefect.flow-run.one' } },
        actions: loops[1],
        enabled: false,
      });
      assert.equal((await server.patch(`/automations/${narrow.id}`, { enabled: true })).status, 204);
    });

    test('job variables for a missing deployment are refused in `actions` only', async () => {
      const runs = (job_variables: object) => [{ type: 'run-deployment', deployment_id: newId(), job_variables }];
      const answer = await create({ actions: runs({ a: 1 }) });
      assert.equal(answer.status, 404);
      assert.deepEqual(answer.body, { detail: 'Deployment not found.' });
      const later = { actions_on_trigger: runs({ a: 1 }), actions_on_resolve: runs({ a: 1 }) };
      assert.equal((await create(later)).status, 201);
      const empty = await create({ actions: runs({}) });
      assert.equal(empty.status, 201);
      const path = `/automations/${empty.body.id}`;
      assert.equal((await server.put(path, { name: 'b', trigger, actions: runs({}) })).status, 404);
      assert.equal((await server.put(path, { name: 'b', trigger, actions: [], ...later })).status, 204);
    });

    test('a replaced automation gets another trigger, and its first event holds what it was', async () => {
      const { body: automation } = await create();
      const path = `/automations/${automation.id}`;
      await server.put(path, { name: 'b', trigger, actions: [] });
      const { body: replaced } = await server.get(path);
      assert.deepEqual(replaced.actions, []);
      assert.notEqual(replaced.trigger.id, automation.trigger.id);
      const filter = { resource: { id: [`prefect.automation.${automation.id}`] }, order: 'ASC' };
      assert.equal((await server.post('/events/filter', { filter })).body.events[0].payload.name, 'a');
    });

    test('automations are related to their owner and to the deployments they run', async () => {
      const [deployment, later] = [newId(), newId()];
      const owner = `prefect.deployment.${newId()}`;
      const actions = [{ type: 'run-deployment', deployment_id: deployment }];
      const actions_on_resolve = [{ type: 'run-deployment', deployment_id: later }];
      const { body: automation } = await create({ owner_resource: owner, actions, actions_on_resolve });
      const relatedTo = async (resource: string) =>
        (await server.get(`/automations/related-to/${resource}`)).body.length;
      assert.equal(await relatedTo(owner), 1);
      assert.equal(await relatedTo(`prefect.deployment.${deployment}`), 1);
      assert.equal(await relatedTo(`prefect.deployment.${later}`), 0);
      await server.put(`/automations/${automation.id}`, { name: 'a', trigger, actions: [] });
      assert.equal(await relatedTo(owner), 1);
      assert.equal(await relatedTo(`prefect.deployment.${deployment}`), 0);
      assert.equal((await server.delete(`/automations/owned-by/prefect.deployment.${deployment}`)).status, 202);
      assert.equal(await relatedTo(owner), 1);
      assert.equal((await server.delete(`/automations/owned-by/${owner}`)).status, 202);
      assert.equal((await server.get(`/automations/${automation.id}`)).status, 404);
    });

    test('automations are found by name, tags and time, sorted and counted', async () => {
      const names = [newId(), newId()].toSorted();
      for (const name of names) await create({ name, tags: [name, 'found'] });
      const filter = (automations: Body, more: Body = {}) =>
        server.post('/automations/filter', { automations, ...more });
      const namesOf = async (automations: Body, more: Body = {}) =>
        (await filter(automations, more)).body.map(({ name }: { name: string }) => name);
      assert.deepEqual(await namesOf({ tags: { all_: ['found'] } }), names);
      assert.deepEqual(await namesOf({ tags: { all_: ['found'] } }, { sort: 'NAME_DESC', limit: 1 }), [names[1]]);
      assert.deepEqual(await namesOf({ name: { any_: [names[0]] } }), [names[0]]);
      assert.deepEqual(await namesOf({ name: { any_: names }, created: { before_: '2020-01-01T00:00:00Z' } }), []);
      assert.equal((await server.post('/automations/count', { automations: { tags: { all_: ['found'] } } })).body, 2);
      assert.equal((await filter({ name: { like_: 'x' } })).status, 422);
    });
  });
}
