import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import type { StoredLog } from '../../changes/hub.ts';
import { newId } from '../../values/id.ts';
import { logsAsCsv, logsDisposition } from './logs-as-csv.ts';

interface LogFields {
  readonly name?: string;
  readonly level?: number;
  readonly timestamp?: string;
  readonly flow_run_id?: string | null;
  readonly task_run_id?: string | null;
}

function log(message: string, fields: LogFields = {}) {
  return { name: 'prefect.flow_runs', level: 20, message, timestamp: '2026-11-20T15:59:20Z', ...fields };
}

const second = (seconds: number) => `2026-11-20T16:00:${String(seconds).padStart(2, '0')}Z`;

for (const database of databases) {
  describe(`logs on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    async function messages(logs: object, more: object = {}): Promise<string[]> {
      const answer = await server.post('/logs/filter', { logs, ...more });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.map(({ message }: { message: string }) => message);
    }

    test('a batch is stored as it was sent and answers null', async () => {
      const flow_run_id = newId();
      const task_run_id = newId();
      const sent = [
        log('first', { timestamp: '2026-11-20T15:59:20.123456+01:00', flow_run_id, level: -5 }),
        log('second "quoted"\n☂', { timestamp: second(1), flow_run_id, task_run_id, name: 'my.logger' }),
      ];
      const answer = await server.post('/logs/', sent);
      assert.equal(answer.status, 201);
      assert.equal(answer.text, 'null');
      const { body } = await server.post('/logs/filter', { logs: { flow_run_id: { any_: [flow_run_id] } } });
      const { id, created, updated, ...rest } = body[0];
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
      assert.equal(created, updated);
      assert.deepEqual(rest, {
        name: 'prefect.flow_runs',
        level: -5,
        message: 'first',
        timestamp: '2026-11-20T14:59:20.123456Z',
        flow_run_id,
        task_run_id: null,
      });
      assert.equal(body[1].message, 'second "quoted"\n☂');
      assert.equal(body[1].task_run_id, task_run_id);
    });

    test('a large batch is stored completely, and logs of the same moment keep their order', async () => {
      const flow_run_id = newId();
      const sent = Array.from({ length: 250 }, (_, index) => log(`line ${index}`, { flow_run_id }));
      await server.post('/logs/', sent);
      const ofRun = { flow_run_id: { any_: [flow_run_id] } };
      const pages = await Promise.all([0, 200].map((offset) => messages(ofRun, { offset })));
      assert.deepEqual(
        pages.flat(),
        sent.map(({ message }) => message),
      );
      const newest = await messages(ofRun, { sort: 'TIMESTAMP_DESC', limit: 2 });
      assert.deepEqual(newest, ['line 249', 'line 248']);
    });

    test('one invalid log refuses the batch, and none of it is stored', async () => {
      const flow_run_id = newId();
      const answer = await server.post('/logs/', [
        log('good', { flow_run_id }),
        { ...log('bad', { flow_run_id }), worker_id: newId() },
      ]);
      assert.equal(answer.status, 422);
      assert.deepEqual(answer.body.exception_detail[0].loc, ['body', 1, 'worker_id']);
      assert.deepEqual(await messages({ flow_run_id: { any_: [flow_run_id] } }), []);
      assert.equal((await server.post('/logs/', {})).body.exception_detail[0].type, 'is_instance_of');
      assert.equal((await server.post('/logs/', [])).status, 201);
    });

    test('a log line is stored without the characters that a database cannot hold', async () => {
      const flow_run_id = newId();
      assert.equal((await server.post('/logs/', [log('a\0b\ud800', { flow_run_id, name: 'n\0' })])).status, 201);
      const { body } = await server.post('/logs/filter', { logs: { flow_run_id: { any_: [flow_run_id] } } });
      assert.deepEqual([body[0].message, body[0].name], ['ab\ufffd', 'n']);
    });

    test('logs are filtered by level, time and run, with all or any conditions', async () => {
      const flow_run_id = newId();
      const task_run_id = newId();
      await server.post('/logs/', [
        log('debug', { flow_run_id, level: 10, timestamp: second(1) }),
        log('info', { flow_run_id, level: 20, timestamp: second(2), task_run_id }),
        log('error', { flow_run_id, level: 40, timestamp: second(3) }),
      ]);
      const ofRun = { flow_run_id: { any_: [flow_run_id] } };
      assert.deepEqual(await messages({ ...ofRun, level: { ge_: 20, le_: 40 } }), ['info', 'error']);
      const upToTwo = { after_: second(1), before_: second(2) };
      assert.deepEqual(await messages({ ...ofRun, timestamp: upToTwo }), ['debug', 'info']);
      assert.deepEqual(await messages({ ...ofRun, task_run_id: { is_null_: true } }), ['debug', 'error']);
      assert.deepEqual(await messages({ task_run_id: { any_: [task_run_id] } }), ['info']);
      assert.deepEqual(await messages({ flow_run_id: { any_: [] } }), []);
      const either = { operator: 'or_', task_run_id: { any_: [task_run_id] }, flow_run_id: { any_: [newId()] } };
      assert.deepEqual(await messages(either), ['info']);
    });

    test('words are searched in the message and the name of the logger, without wildcards', async () => {
      const flow_run_id = newId();
      await server.post('/logs/', [
        log('Connection RESET by peer', { flow_run_id, timestamp: second(1) }),
        log('retry 50% done', { flow_run_id, timestamp: second(2), name: 'My.Logger' }),
        log(String.raw`path C:\temp`, { flow_run_id, timestamp: second(3) }),
      ]);
      const search = (query: string) => messages({ flow_run_id: { any_: [flow_run_id] }, text: { query } });
      assert.deepEqual(await search('reset'), ['Connection RESET by peer']);
      assert.deepEqual(await search('reset 50%'), ['Connection RESET by peer', 'retry 50% done']);
      assert.deepEqual(await search('5%e'), []);
      assert.deepEqual(await search('my.logger'), ['retry 50% done']);
      assert.deepEqual(await search('"done my"'), ['retry 50% done']);
      assert.deepEqual(await search('-reset'), ['retry 50% done', String.raw`path C:\temp`]);
      assert.deepEqual(await search('+retry +50'), ['retry 50% done']);
      assert.deepEqual(await search(String.raw`"c:\\temp"`), [String.raw`path C:\temp`]);
      assert.equal((await search('" "')).length, 3);
      const tooLong = await server.post('/logs/filter', { logs: { text: { query: 'x'.repeat(201) } } });
      assert.equal(tooLong.status, 422);
    });

    test('GET on the collection lists it', async () => {
      const answer = await server.get('/logs/?limit=1&sort=TIMESTAMP_DESC');
      assert.equal(answer.status, 200);
      assert.equal(answer.body.length, 1);
    });

    test('live streams get the logs of a batch after it was stored', async () => {
      const received: StoredLog[] = [];
      const { hub, defaultWorkspace } = server.server;
      const stop = hub.hear('logs', defaultWorkspace, (log) => received.push(log));
      await server.post('/logs/', [log('one'), log('two')]);
      await server.post('/logs/', [{ ...log('three'), level: 'x' }]);
      stop();
      assert.deepEqual(
        received.map(({ message }) => message),
        ['one', 'two'],
      );
    });

    test('the logs of a run are exported as CSV, over more than one page', async () => {
      const flow_run_id = newId();
      const task_run_id = newId();
      const lines = Array.from({ length: 4500 }, (_, index) => log(`line ${index}`, { flow_run_id }));
      await server.post('/logs/', lines);
      await server.post('/logs/', [
        log('say "hi", all\nbye', { flow_run_id, task_run_id, timestamp: '2026-11-21T00:00:00.5Z' }),
      ]);
      const csv = (await Array.fromAsync(logsAsCsv(server.context().db, flow_run_id))).join('');
      assert.ok(csv.startsWith(`timestamp,level,flow_run_id,task_run_id,message\r\n`));
      assert.ok(csv.includes(`\r\n2026-11-20 15:59:20+00:00,20,${flow_run_id},,line 4499\r\n`));
      const last = `2026-11-21 00:00:00.500000+00:00,20,${flow_run_id},${task_run_id},"say ""hi"", all\nbye"\r\n`;
      assert.ok(csv.endsWith(last));
      assert.equal(csv.split('\r\n').length, 1 + 4501 + 1);
    });
  });
}

test('a download is named after the run', () => {
  assert.equal(
    logsDisposition('my run "x", ü (1)'),
    `attachment; filename="flow-run-logs.csv"; filename*=UTF-8''my%20run%20%22x%22%2C%20%C3%BC%20%281%29-logs.csv`,
  );
});
