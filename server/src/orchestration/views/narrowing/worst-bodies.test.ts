import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { flowRunFieldNames } from './flow-run-fields.ts';
import { taskRunFieldNames } from './task-run-fields.ts';

/** A little less than parameters of a run may have. */
const LARGE = 500_000;
/** More than one request searches. */
const RUNS = 40;
const MOST_CONDITIONS = 20;
const MOST_VALUES = 50;

for (const database of databases) {
  describe(`the worst conditions on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
      const { body: flow } = await server.post('/flows/', { name: 'large' });
      for (let index = 0; index < RUNS; index++) {
        const parameters = { n: index, data: 'x'.repeat(LARGE) };
        const { status } = await server.post('/flow_runs/', { flow_id: flow.id, name: `large-${index}`, parameters });
        assert.equal(status, 201);
      }
      const odd = { nul: 'a\\u0000b', text: '100%_' };
      assert.equal(
        (await server.post('/flow_runs/', { flow_id: flow.id, name: 'odd_%', parameters: odd })).status,
        201,
      );
    });
    after(() => server.stop());

    const lists = { runs: flowRunFieldNames, task_runs: taskRunFieldNames } as const;
    const ownValues: Readonly<Record<string, string>> = { tries: '>=1', duration: '<5', subflow: 'no', failed: 'yes' };

    test('as many conditions and values as a body may have are answered', async () => {
      for (const [list, fields] of Object.entries(lists)) {
        for (const not of [false, true]) {
          for (const field of fields) {
            const values = Array.from(
              { length: MOST_VALUES },
              (_, index) => ownValues[field] ?? `${index}`.padEnd(300, '%_…=/'),
            );
            const where = Array.from({ length: MOST_CONDITIONS }, () => ({ field, not, values }));
            for (const [path, more] of [
              [
                `/views/${list}`,
                { history: { start: '2020-01-01T00:00:00Z', end: '2030-01-01T00:00:00Z', intervals: 60 } },
              ],
              [`/views/${list}/values`, { field: 'name' }],
            ] as const) {
              const { status, text } = await server.post(path, { where, ...more });
              assert.equal(status, 200, `${path} ${field}: ${text.slice(0, 300)}`);
            }
          }
        }
      }
    });

    test('texts that mean something to a database are plain texts in a condition', async () => {
      for (const text of [
        '%',
        '_%',
        "'; drop table flow_run; --",
        '\\',
        '"',
        '$.a',
        '[0]',
        '\ud800',
        '=',
        '=x',
        'x=',
        'nul=a',
        '…',
      ]) {
        for (const [list, fields] of Object.entries(lists)) {
          for (const field of fields) {
            if (field in ownValues) continue;
            const narrowed = await server.post(`/views/${list}`, { where: [{ field, values: [text] }] });
            assert.ok([200, 422].includes(narrowed.status), `${field} ${text}: ${narrowed.text.slice(0, 300)}`);
            const values = await server.post(`/views/${list}/values`, { field, text });
            assert.ok([200, 422].includes(values.status), `${field} ${text}: ${values.text.slice(0, 300)}`);
          }
        }
      }
      const named = async (value: string) =>
        (await server.post('/views/runs', { where: [{ field: 'name', values: [value] }] })).body.runs.length;
      assert.deepEqual([await named('_%'), await named('%')], [1, 1]);
    });

    test('a NUL and values of other types are refused with their place', async () => {
      const refused = async (where: unknown) => {
        const { status, text } = await server.post('/views/runs', { where });
        assert.equal(status, 422, text.slice(0, 300));
      };
      await refused([{ field: 'name', values: ['a\u0000b'] }]);
      for (const where of [
        'state',
        {},
        [null],
        [[]],
        [{ field: 'state' }],
        [{ field: 'state', values: 'failed' }],
        [{ field: 'state', values: [7] }],
        [{ field: ['state'], values: ['failed'] }],
        [{ field: '__proto__', values: ['x'] }],
        [{ field: 'constructor', values: ['x'] }],
        [{ field: 'state', values: Array.from({ length: MOST_VALUES + 1 }, () => 'failed') }],
        Array.from({ length: MOST_CONDITIONS + 1 }, () => ({ field: 'state', values: ['failed'] })),
        [{ field: 'tries', values: ['>=1e999'] }],
        [{ field: 'duration', values: ['>= 1; drop'] }],
      ]) {
        await refused(where);
      }
    });

    test('large parameters are searched some runs at a time, and every run is searched in the end', async () => {
      const where = [{ field: 'parameter', values: ['n=0'] }];
      let pages = 0;
      let found: string[] = [];
      let after: object | null = null;
      do {
        const { body, status, text } = await server.post('/views/runs', { where, after });
        assert.equal(status, 200, text?.slice(0, 300));
        found = [...found, ...body.runs.map(({ name }: { name: string }) => name)];
        after = body.next;
        pages++;
      } while (after !== null);
      assert.deepEqual(found, ['large-0']);
      assert.ok(pages > 1, String(pages));
      const values = await server.post('/views/runs/values', { field: 'state', where });
      assert.notEqual(values.body.counted_since, null);
    });
  });
}
