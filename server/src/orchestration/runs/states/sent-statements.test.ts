/** Holds the number of statements of a transition, and of commits of many. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres } from '../../../../test/support/postgres.ts';
import { type SentStatements, startSentStatements } from '../../../../test/support/sent-statements.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';

const RUNS = 32;
const running = { state: { type: 'RUNNING', name: 'Running' }, force: false };

describe('the statements of a transition on PostgreSQL', { skip: !databases.includes('postgres') }, () => {
  let postgres: TestPostgres;
  let way: SentStatements;
  let server: TestServer;
  let flow_id: string;

  before(async () => {
    postgres = (await startPostgres())!;
    way = await startSentStatements(await postgres.createDatabase());
    server = await startServer({ databaseUrl: way.url });
    flow_id = (await server.post('/flows/', { name: 'counted' })).body.id;
  });

  after(async () => {
    await server.stop();
    await way.stop();
    await postgres.stop();
  });

  const createRun = async (): Promise<string> =>
    (await server.post('/flow_runs/', { flow_id, state: { type: 'PENDING' } })).body.id;
  /** The transactions of runs that have ended, by their statements. Services have others. */
  const transactions = () =>
    way.take().flatMap((sent) => {
      const found: string[][] = [];
      let open: string[] = [];
      for (const one of sent) {
        if (one.startsWith('begin')) open = [];
        open.push(one);
        if (one === 'commit') found.push(open);
      }
      return found.filter((one) => one.some((text) => text.includes('"flow_run"')));
    });

  test('one that creates a run or changes its state reads twice and writes once', async () => {
    const id = await createRun();
    const others = [
      ['the creation', createRun],
      ['a state', () => server.post(`/flow_runs/${id}/set_state`, running)],
    ] as const;
    for (const [name, act] of others) {
      transactions();
      await act();
      const [sent = [], ...more] = transactions();
      assert.deepEqual(more, [], name);
      const kinds = sent.map((text) => (/^(begin|select|with c0 as|commit)\b/.exec(text) ?? [text])[0]);
      assert.deepEqual(kinds, ['begin', 'select', 'select', 'with c0 as', 'commit'], name);
    }
  });

  test('many that arrive together share commits', async () => {
    const ids = await Promise.all(Array.from({ length: RUNS }, createRun));
    transactions();
    const answers = await Promise.all(ids.map((id) => server.post(`/flow_runs/${id}/set_state`, running)));
    assert.ok(answers.every(({ body }) => body.status === 'ACCEPT'));
    const commits = transactions().length;
    assert.ok(commits <= RUNS / 2, String(commits));
  });
});
