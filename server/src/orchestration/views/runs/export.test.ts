import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { addSeconds } from '../../../values/time.ts';

for (const database of databases) {
  describe(`exported lists of runs on ${database}`, () => {
    let server: TestServer;
    /** More than one read. */
    const RUNS = 230;
    const formula = '=cmd|"calc",A1';
    before(async () => {
      server = await startServer({ database });
      const { body: flow } = await server.post('/flows/', { name: 'etl' });
      for (let index = 0; index < RUNS; index++) {
        const name = `run-${String(index).padStart(3, '0')}`;
        await server.post('/flow_runs/', { flow_id: flow.id, name, tags: index % 2 ? ['odd'] : ['even', 'a,b'] });
      }
      // More than a row of a list holds.
      const tags = Array.from({ length: 100 }, (_, index) => `${index}-${'x'.repeat(200)}`);
      await server.post('/flow_runs/', { flow_id: flow.id, name: 'tagged', tags });
      const { body: odd } = await server.post('/flows/', { name: formula });
      await server.post('/flow_runs/', { flow_id: odd.id, name: 'line\nbreak' });
    });
    after(() => server.stop());

    const exported = async (body: object, format = 'csv') => {
      const answer = await server.post(`/views/runs/export?format=${format}`, body);
      assert.equal(answer.status, 200, answer.text);
      return answer;
    };

    test('a file has the rows of the list, in its order and with its columns', async () => {
      const answer = await exported({
        where: [
          { field: 'tag', values: ['odd'] },
          { field: 'flow', values: ['etl'] },
        ],
        sort: 'NAME_ASC',
        columns: ['name', 'flow_name', 'tags', 'state_type'],
      });
      assert.match(String(answer.headers['content-type']), /^text\/csv/);
      const [head, first, ...others] = answer.text.split('\r\n');
      assert.equal(head, 'name,flow_name,tags,state_type');
      assert.equal(first, 'run-001,etl,"[""odd""]",PENDING');
      assert.equal(others.length, RUNS / 2);
      assert.equal(others.at(-1), '');
    });

    test('every run of a long list is in the file once', async () => {
      const { text } = await exported({ columns: ['name'] }, 'ndjson');
      const names = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).name as string);
      assert.equal(new Set(names).size, RUNS + 2);
      assert.equal(names.length, RUNS + 2);
    });

    test('a cell that a spreadsheet would compute is a text, and a line break stays in its cell', async () => {
      const { text } = await exported({
        where: [{ field: 'name', values: ['line'] }],
        columns: ['name', 'flow_name'],
      });
      assert.equal(text, `name,flow_name\r\n"line\nbreak","'${formula.replaceAll('"', '""')}"\r\n`);
    });

    test('tags that lists leave out are in the file', async () => {
      const { text } = await exported({ where: [{ field: 'name', values: ['tagged'] }] }, 'ndjson');
      const { tags, name } = JSON.parse(text);
      assert.deepEqual([name, tags.length, tags[99].length], ['tagged', 100, 203]);
    });

    test('an unknown column and an unknown format are refused', async () => {
      assert.equal((await server.post('/views/runs/export', { columns: ['parameters'] })).status, 422);
      assert.equal((await server.post('/views/runs/export?format=xlsx', {})).status, 422);
      assert.equal(
        (await server.post('/views/task_runs/export', { columns: ['flow_run_name'] })).text,
        'flow_run_name\r\n',
      );
    });

    test('several views are counted in one request', async () => {
      const { now } = server.context();
      const where = (field: string, ...values: string[]) => [{ field, values }];
      const { body } = await server.post('/views/runs/counts', {
        views: [
          { where: where('tag', 'odd') },
          { where: where('state', 'failed') },
          { where: where('flow', 'etl'), start: addSeconds(now, -3600), end: addSeconds(now, 3600) },
          { start: addSeconds(now, 3600) },
          {},
        ],
      });
      const counts = body.counts.map(({ count }: { count: number }) => count);
      assert.deepEqual(counts, [RUNS / 2, 0, RUNS + 1, 0, RUNS + 2]);
      const many = Array.from({ length: 13 }, () => ({}));
      assert.equal((await server.post('/views/runs/counts', { views: many })).status, 422);
    });
  });
}
