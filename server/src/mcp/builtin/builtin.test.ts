import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Agent, connectAgent } from '../../../test/support/agent.ts';
import { type PlatformCaller, person } from '../../../test/support/platform.ts';
import { type SeededWorkspace, seedWorkspace } from '../../../test/support/seeded-workspace.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../test/support/server.ts';

const ORGANIZATION = '/organizations/default';
const SERVER = `${ORGANIZATION}/servers/orchestration-default`;

for (const database of databasesOfRun) {
  describe(`the built-in server of a workspace on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    let member: PlatformCaller & { readonly id: string };
    let seeded: SeededWorkspace;
    let workspace: string;
    let url: string;
    const open: Agent[] = [];

    const agentOf = async (caller: PlatformCaller, era?: 'legacy' | 'modern'): Promise<Agent> => {
      const agent = await connectAgent(url, caller.key, era);
      open.push(agent);
      return agent;
    };
    const grant = async (role: 'viewer' | 'editor') => {
      const path = `${ORGANIZATION}/workspaces/${workspace}/grants/${member.id}`;
      assert.equal((await admin.put(path, { role })).status, 204);
    };
    const namesOf = async ({ client }: Agent) => (await client.listTools()).tools.map(({ name }) => name);
    const lastRequest = async () => {
      await server.recordsWritten();
      return (await admin.get(`${SERVER}/requests?limit=1`)).body.items[0];
    };

    before(async () => {
      server = await startServer({ database });
      seeded = await seedWorkspace(server);
      admin = await person(server, 'ada@example.com', 'admin');
      member = await person(server, 'max@example.com', 'member');
      const origin = new URL((await server.listen()).replace('ws', 'http')).origin;
      url = `${origin}/servers/default/orchestration-default/mcp`;
      workspace = (await admin.get(`${ORGANIZATION}/workspaces`)).body.items[0].id;
    });
    after(async () => {
      for (const agent of open) await agent.close();
      await server.stop();
    });

    test('every workspace has one, which goes with it and not before', async () => {
      const made = await admin.post(`${ORGANIZATION}/workspaces`, { name: 'Staging', handle: 'staging' });
      const path = `${ORGANIZATION}/servers/orchestration-staging`;
      const { body } = await admin.get(path);
      assert.equal(body.kind, 'builtin');
      assert.equal(body.name, 'Orchestration of Staging');
      const refused = await admin.delete(path);
      assert.deepEqual([refused.status, refused.body.error.code], [409, 'builtin_server']);
      const another = { slug: 'mine', name: 'Mine', kind: 'builtin' };
      assert.equal((await admin.post(`${ORGANIZATION}/servers`, another)).status, 422);
      assert.equal((await admin.get(`${path}/capabilities`)).body.tools.length, 30);
      assert.equal((await admin.delete(`${ORGANIZATION}/workspaces/${made.body.id}`)).status, 204);
      assert.equal((await admin.get(path)).status, 404);
    });

    test('a caller acts with the role in the workspace as it is now', async () => {
      await assert.rejects(agentOf(member), /HTTP 403/);
      assert.equal((await lastRequest()).reason, 'no role in the workspace');
      await grant('viewer');
      const agent = await agentOf(member);
      const asViewer = await namesOf(agent);
      assert.ok(asViewer.includes('why_did_this_run_fail'));
      assert.ok(!asViewer.includes('start_flow_run') && !asViewer.includes('set_variable'));
      const start = () => agent.call('start_flow_run', { deployment: 'load-orders/nightly', name: 'by-agent' });
      await assert.rejects(start(), /Your role in the workspace is viewer/);
      const { decision, reason, capability, actorName } = await lastRequest();
      assert.deepEqual(
        [decision, reason, capability, actorName],
        ['denied', 'the role viewer in the workspace', 'start_flow_run', 'max@example.com'],
      );
      assert.deepEqual((await agent.call('search', { text: 'by-agent' })).found, []);
      await grant('editor');
      assert.equal((await namesOf(agent)).length, 30);
      const { run_id } = await start();
      const run = (await server.get(`/flow_runs/${run_id}`)).body;
      assert.deepEqual([run.name, run.created_by.display_value], ['by-agent', 'max@example.com']);
      const { id, serverId, startedRunId } = await lastRequest();
      assert.equal(startedRunId, run_id);
      assert.equal(run.labels['signalbox.mcp.server'], serverId);
      assert.equal(run.labels['signalbox.mcp.request'], id);
    });

    test('the next steps name no tool that the caller may not use, and no retry that nothing would run', async () => {
      const steps = async ({ call }: Agent, run_id: string) =>
        ((await call('why_did_this_run_fail', { run_id })).next_steps ?? []).join(' ');
      await grant('viewer');
      assert.doesNotMatch(await steps(await agentOf(member), seeded.failedRun), /retry_flow_run/);
      await grant('editor');
      const agent = await agentOf(member);
      assert.match(await steps(agent, seeded.failedRun), /retry_flow_run/);
      const { body: flow } = await server.post('/flows/', { name: 'by-hand' });
      const { body: run } = await server.post('/flow_runs/', { flow_id: flow.id, state: { type: 'FAILED' } });
      assert.doesNotMatch(await steps(agent, run.id), /retry_flow_run/);
      const rules = [{ role: 'viewer', actorId: null, capability: 'tool', pattern: 'why_*', effect: 'allow' }];
      assert.equal((await admin.put(`${SERVER}/policy`, { rules })).status, 200);
      assert.doesNotMatch(await steps(agent, seeded.failedRun), /retry_flow_run|read_logs/);
      assert.equal((await admin.put(`${SERVER}/policy`, { rules: [] })).status, 200);
    });

    test('a policy hides tools as on any server', async () => {
      await grant('editor');
      const agent = await agentOf(member);
      const rules = [{ role: 'viewer', actorId: null, capability: 'tool', pattern: 'get_*', effect: 'allow' }];
      assert.equal((await admin.put(`${SERVER}/policy`, { rules })).status, 200);
      assert.deepEqual(
        (await namesOf(agent)).filter((name) => !name.startsWith('get_')),
        [],
      );
      await assert.rejects(agent.call('start_flow_run', { deployment: seeded.nightly }), /policy/);
      await admin.patch(SERVER, { deniedAs: 'unknown' });
      await assert.rejects(
        agent.call('start_flow_run', { deployment: seeded.nightly }),
        /Unknown tool: start_flow_run/,
      );
      await assert.rejects(agent.call('invented'), /Unknown tool: invented/);
      await admin.patch(SERVER, { deniedAs: 'forbidden' });
      await admin.put(`${SERVER}/policy`, { rules: [] });
    });

    test('clients of both eras get the same lists and answers', async () => {
      const answers = [];
      for (const era of ['legacy', 'modern'] as const) {
        const { client, call } = await agentOf(admin, era);
        const { tools } = await client.listTools();
        const { resourceTemplates } = await client.listResourceTemplates();
        const { prompts } = await client.listPrompts();
        answers.push({
          tools,
          resourceTemplates,
          prompts,
          run: await call('get_flow_run', { run_id: seeded.goodRun }),
        });
      }
      assert.deepEqual(answers[0], answers[1]);
      const hints = Object.fromEntries(answers[0]!.tools.map(({ name, annotations }) => [name, annotations]));
      const required = Object.fromEntries(
        answers[0]!.tools.map(({ name, inputSchema }) => [name, inputSchema.required]),
      );
      assert.deepEqual(required['list_flow_runs'], undefined);
      assert.deepEqual(required['get_artifact'], ['artifact_id']);
      assert.equal(hints['get_flow_run']?.readOnlyHint, true);
      assert.equal(hints['cancel_flow_run']?.destructiveHint, true);
      assert.equal(hints['start_flow_run']?.destructiveHint, false);
    });

    test('lists are short pages, and what is wrong with arguments is said by name', async () => {
      const { call } = await agentOf(admin);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await call('list_flow_runs', { flow: 'load-orders', limit: 2, ...(cursor && { cursor }) });
        assert.ok(page.runs.length <= 2);
        seen.push(...page.runs.map(({ id }: { id: string }) => id));
        cursor = page.next_cursor;
      } while (cursor);
      const all = await call('list_flow_runs', { flow: 'load-orders', limit: 100 });
      assert.deepEqual(
        seen,
        all.runs.map(({ id }: { id: string }) => id),
      );
      assert.equal(new Set(seen).size, seen.length);
      const logs = await call('read_logs', { run_id: seeded.runningRun, limit: 50 });
      const rest = await call('read_logs', { run_id: seeded.runningRun, limit: 50, cursor: logs.next_cursor });
      assert.deepEqual([logs.lines.length, rest.lines.length, rest.next_cursor], [50, 10, undefined]);
      const events = await call('list_events', { limit: 2 });
      assert.equal((await call('list_events', { limit: 2, cursor: events.next_cursor })).events.length, 2);
      await assert.rejects(call('list_flow_runs', { limit: 101 }), /^Error: limit: .*100/);
      for (const tool of ['list_flow_runs', 'list_variables', 'list_events', 'list_artifacts']) {
        await assert.rejects(call(tool, { cursor: 'nonsense' }), /cursor|Forbidden/, tool);
      }
      await assert.rejects(call('list_flow_runs', { colour: 'red' }), /^Error: colour: /);
      await assert.rejects(call('get_flow_run', { run_id: crypto.randomUUID() }), /not found/);
      await assert.rejects(call('get_deployment', { deployment: 'nightly' }), /flow name\/deployment name/);
    });

    test('tools start, pause, resume, cancel, retry and repeat runs', async () => {
      const { call } = await agentOf(admin);
      const state = async (run_id: string) => (await call('get_flow_run', { run_id })).run.state;
      const given = { deployment: 'load-orders/nightly', parameters: { region: 'asia' }, idempotency_key: 'once' };
      const { run_id } = await call('start_flow_run', given);
      assert.equal((await call('start_flow_run', given)).run_id, run_id);
      const started = await call('get_flow_run', { run_id });
      assert.deepEqual(JSON.parse(started.parameters), { region: 'asia', limit: 100 });
      assert.equal((await call('cancel_flow_run', { run_id })).state, 'CANCELLED');
      await assert.rejects(call('cancel_flow_run', { run_id: seeded.goodRun }), /did not accept the state/);

      const later = new Date(Date.now() + 3_600_000).toISOString();
      const planned = await call('start_flow_run', { deployment: seeded.nightly, scheduled_time: later });
      assert.equal(
        (await call('get_flow_run', { run_id: planned.run_id })).run.expected_start.slice(0, 16),
        later.slice(0, 16),
      );

      await call('pause_flow_run', { run_id: seeded.runningRun });
      assert.equal(await state(seeded.runningRun), 'PAUSED');
      await call('resume_flow_run', { run_id: seeded.runningRun });
      assert.equal(await state(seeded.runningRun), 'RUNNING');

      const [earlier] = (await call('list_flow_runs', { name: 'bad-1' })).runs;
      assert.equal((await call('retry_flow_run', { run_id: earlier.id })).state_name, 'AwaitingRetry');
      const again = await call('rerun_flow_run', { run_id: seeded.failedRun, name: 'once more' });
      const repeated = await call('get_flow_run', { run_id: again.run_id });
      assert.deepEqual(JSON.parse(repeated.parameters), { region: 'us', limit: 100 });
    });

    test('tools pause deployments and schedules, and set variables', async () => {
      const { call } = await agentOf(admin);
      const deployment = 'load-orders/nightly';
      const read = () => call('get_deployment', { deployment });
      await call('pause_deployment', { deployment });
      assert.equal((await read()).paused, true);
      await call('resume_deployment', { deployment });
      const { paused, schedules } = await read();
      assert.equal(paused, false);
      await call('set_schedule_active', { deployment, schedule_id: schedules[0].id, active: false });
      assert.equal((await read()).schedules[0].active, false);
      assert.equal((await call('set_variable', { name: 'rate', value: 1.5 })).created, true);
      assert.equal((await call('set_variable', { name: 'rate', value: { a: [null] } })).created, false);
      assert.deepEqual((await server.get('/variables/name/rate')).body.value, { a: [null] });
      await assert.rejects(call('set_variable', { name: 'Rate', value: 1 }), /lowercase/);
    });

    test('resources and prompts hold what the tools answer', async () => {
      const { client } = await agentOf(admin);
      const read = async (uri: string) => {
        const [content] = (await client.readResource({ uri })).contents;
        return content && 'text' in content ? String(content.text) : '';
      };
      const run = JSON.parse(await read(`signalbox://flow-runs/${seeded.goodRun}`));
      assert.equal(run.run.name, 'good-one');
      assert.match(
        await read(`signalbox://task-runs/${seeded.failedTask}/logs`),
        /error Task run failed with exception/,
      );
      assert.match(await read('signalbox://overview'), /load-orders/);
      await assert.rejects(read('signalbox://flow-runs/nothing'), /Resource not found/);
      await assert.rejects(read(`signalbox://flow-runs/${crypto.randomUUID()}`), /Flow run not found/);
      const prompt = async (name: string, given = {}) => {
        const [message] = (await client.getPrompt({ name, arguments: given })).messages;
        return message?.content.type === 'text' ? message.content.text : '';
      };
      assert.match(await prompt('review_failure', { run_id: seeded.failedRun }), /orders\.py/);
      assert.match(await prompt('daily_report'), /last 24 hours/);
      await assert.rejects(prompt('daily_report', { hours: 'many' }), /hours: must be a whole number/);
    });

    test('viewers see no secrets, as over the API', async () => {
      await server.post('/events', [
        {
          id: crypto.randomUUID(),
          occurred: new Date().toISOString(),
          event: 'vault.opened',
          resource: { 'prefect.resource.id': 'vault.1' },
          payload: { api_key: 'tell-nobody' },
        },
      ]);
      await grant('viewer');
      const { call } = await agentOf(member);
      const shown = JSON.stringify(await call('list_events', { prefixes: ['vault.'] }));
      assert.match(shown, /vault\.opened/);
      assert.doesNotMatch(shown, /tell-nobody/);
    });
  });
}
