/**
 * An evaluation: twenty questions about a workspace, answered with the tools of the built-in server and nothing else. It
 * prints what each answer costs an agent, and holds each of them to a bound.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Agent, connectAgent } from '../../../test/support/agent.ts';
import { person } from '../../../test/support/platform.ts';
import { seedWorkspace } from '../../../test/support/seeded-workspace.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../test/support/server.ts';
import { failureCauses } from '../../services/failure-causes.ts';

interface Question {
  readonly text: string;
  answer(agent: Agent['call']): Promise<unknown>;
  /** The right answer. */
  readonly is: unknown;
}

/** The newest failed run of a flow, as an agent finds it. */
async function failedRun(call: Agent['call'], flow: string): Promise<string> {
  const { runs } = await call('list_flow_runs', { flow, states: ['FAILED', 'CRASHED'], limit: 1 });
  return runs[0].id;
}

async function runNamed(call: Agent['call'], text: string): Promise<string> {
  const { found } = await call('search', { text });
  return found.find(({ type }: { type: string }) => type === 'flow_run').id;
}

const explained = async (call: Agent['call']) =>
  call('why_did_this_run_fail', { run_id: await failedRun(call, 'load-orders') });

const questions: readonly Question[] = [
  {
    text: 'How many runs failed in the last day?',
    answer: async (call) => (await call('get_overview')).failed,
    is: 3,
  },
  {
    text: 'Which flow fails most, and why?',
    answer: async (call) => {
      const [{ flow, cause, count }] = (await call('get_overview')).failures;
      return { flow, count, isAboutKey: cause.includes('KeyError') };
    },
    is: { flow: 'load-orders', count: 3, isAboutKey: true },
  },
  {
    text: 'Which task of load-orders failed first?',
    answer: async (call) => (await explained(call)).first_failed_task.name,
    is: 'fetch-0',
  },
  {
    text: 'Where in our code did load-orders fail?',
    answer: async (call) => {
      const { file, line, code } = (await explained(call)).user_frame;
      return `${file}:${line} ${code}`;
    },
    is: "/app/shop/orders.py:42 return row['price']",
  },
  {
    text: 'What differs from the last good run of load-orders?',
    answer: async (call) => (await explained(call)).last_success.changed_parameters,
    is: [{ name: 'region', before: '"eu"', now: '"us"' }],
  },
  {
    text: 'Has load-orders failed like this before?',
    answer: async (call) => (await explained(call)).similar_failures,
    is: 2,
  },
  {
    text: 'What did the failing task log as an error?',
    answer: async (call) => {
      const { first_failed_task } = await explained(call);
      const { lines } = await call('read_logs', { task_run_id: first_failed_task.id, min_level: 'error' });
      return lines.map(({ message }: { message: string }) => message.split('\n').at(-1));
    },
    is: ["KeyError: 'price'"],
  },
  {
    text: 'Why does patient-one not start?',
    answer: async (call) => {
      const { reasons } = await call('why_is_this_run_not_running', { run_id: await runNamed(call, 'patient-one') });
      return reasons.find(({ blocks }: { blocks: boolean }) => blocks).code;
    },
    is: 'work_pool_paused',
  },
  {
    text: 'Which deployments are paused?',
    answer: async (call) =>
      (await call('list_deployments', { paused: true })).deployments.map(
        ({ flow, name }: { flow: string; name: string }) => `${flow}/${name}`,
      ),
    is: ['send-report/weekly'],
  },
  {
    text: 'When does the nightly load run?',
    answer: async (call) => (await call('list_deployments', { name: 'nightly' })).deployments[0].schedules[0].when,
    is: 'cron 0 2 * * *, Europe/Berlin',
  },
  {
    text: 'Which parameters does load-orders/nightly have by default?',
    answer: async (call) =>
      JSON.parse((await call('get_deployment', { deployment: 'load-orders/nightly' })).parameters),
    is: { region: 'eu', limit: 100 },
  },
  {
    text: 'How far is busy-one?',
    answer: async (call) => (await call('get_flow_run', { run_id: await runNamed(call, 'busy-one') })).task_runs,
    is: { Completed: 1, Pending: 1, Running: 1 },
  },
  {
    text: 'Which task of busy-one runs right now?',
    answer: async (call) => {
      const given = { run_id: await runNamed(call, 'busy-one'), states: ['RUNNING'] };
      return (await call('list_task_runs', given)).task_runs.map(({ name }: { name: string }) => name);
    },
    is: ['clean-0'],
  },
  {
    text: 'What did busy-one say last?',
    answer: async (call) => {
      const given = { run_id: await runNamed(call, 'busy-one'), order: 'newest', limit: 1 };
      return (await call('read_logs', given)).lines[0].message;
    },
    is: 'Stored order 60',
  },
  {
    text: 'How many orders came on Monday?',
    answer: async (call) => {
      const { artifacts } = await call('list_artifacts', { text: 'totals' });
      return JSON.parse((await call('get_artifact', { artifact_id: artifacts[0].id })).data)[0].orders;
    },
    is: 17,
  },
  {
    text: 'Which work pool has a problem?',
    answer: async (call) =>
      (await call('list_work_pools')).work_pools
        .filter(({ paused }: { paused: boolean }) => paused)
        .map(({ name }: { name: string }) => name),
    is: ['gpu'],
  },
  {
    text: 'How many slots of the limit database are free?',
    answer: async (call) => {
      const { limits } = await call('list_concurrency_limits');
      const found = limits.find(({ name }: { name: string }) => name === 'database');
      return found.limit - found.active_slots;
    },
    is: 1,
  },
  {
    text: 'Where is the warehouse?',
    answer: async (call) => JSON.parse((await call('list_variables', { name: 'warehouse' })).variables[0].value).city,
    is: 'Hamburg',
  },
  {
    text: 'Which automations are off?',
    answer: async (call) =>
      (await call('list_automations')).automations
        .filter(({ enabled }: { enabled: boolean }) => !enabled)
        .map(({ name }: { name: string }) => name),
    is: ['page somebody'],
  },
  {
    text: 'How much was refunded, and for which order?',
    answer: async (call) => {
      const [{ resource, payload }] = (await call('list_events', { prefixes: ['shop.order.'] })).events;
      return { resource, ...JSON.parse(payload) };
    },
    is: { resource: 'shop.order.77', amount: 12.5 },
  },
];

const MOST_CALLS = 3;
const MOST_BYTES = 4000;

for (const database of databasesOfRun) {
  describe(`twenty questions on ${database}`, () => {
    let server: TestServer;
    let agent: Agent;
    before(async () => {
      server = await startServer({ database });
      await seedWorkspace(server);
      await failureCauses.runOnce(server.context());
      const { key } = await person(server, 'ada@example.com', 'admin');
      const origin = new URL((await server.listen()).replace('ws', 'http')).origin;
      agent = await connectAgent(`${origin}/servers/default/orchestration-default/mcp`, key);
      // The client checks the structure of answers against the schemas that it has listed.
      await agent.client.listTools();
    });
    after(async () => {
      await agent.close();
      await server.stop();
    });

    for (const { text, answer, is } of questions) {
      test(text, async (context) => {
        const before = { ...agent.spent };
        assert.deepEqual(await answer(agent.call), is);
        const [calls, bytes] = [agent.spent.calls - before.calls, agent.spent.bytes - before.bytes];
        context.diagnostic(`${calls} calls, ${bytes} bytes`);
        assert.ok(calls <= MOST_CALLS, `${calls} calls`);
        assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
      });
    }
  });
}
