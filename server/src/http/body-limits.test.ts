// Runs in a process of its own: steps are counted only in code that is loaded afterwards, and counting slows it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, type TestServer } from '../../test/support/server.ts';
import { stepsOf } from '../../test/support/steps.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const MEGABYTE = 1024 * 1024;
const json = { 'content-type': 'application/json' };
const created = '2026-01-01T00:00:00Z';

/** `item` repeated to about this many bytes. */
const list = (item: string, bytes: number) => `[${`${item},`.repeat(bytes / (item.length + 1))}${item}]`;

test('a body may have 1 MB, and more where clients send data that is stored unchanged', async () => {
  const text = 'x'.repeat(3 * MEGABYTE);
  assert.equal((await server.post('/flows/filter', { ignored: text })).status, 413);
  assert.equal((await server.post('/variables/', { name: 'large', value: text })).status, 413);
  assert.equal((await server.post('/artifacts/', { key: 'large', data: text })).status, 201);
  assert.equal((await server.post('/artifacts/', { key: 'larger', data: text.repeat(6) })).status, 413);
  const long = Array.from({ length: 10_000 }, (_, index) => `a flow with a name of some length ${index}`);
  assert.equal((await server.post('/flows/filter', { flows: { name: { any_: long } } })).status, 200);
});

test('a run may have parameters of the largest size that the setting allows', async () => {
  const flow = await server.post('/flows/', { name: 'large' });
  const parameters = { text: 'x'.repeat(500_000) };
  const run = await server.post('/flow_runs/', { flow_id: flow.body.id, parameters });
  assert.equal(run.status, 201, run.text);
  assert.deepEqual((await server.get(`/flow_runs/${run.body.id}`)).body.parameters, parameters);
  const deployment = await server.post('/deployments/', { name: 'large', flow_id: flow.body.id });
  const { id: other } = (await server.post('/flow_runs/', { flow_id: flow.body.id })).body;
  for (const characters of [530_000, 1_400_000, 2_000_000, 15_000_000]) {
    const large = { text: 'x'.repeat(characters) };
    for (const answer of [
      await server.post('/flow_runs/', { flow_id: flow.body.id, parameters: large }),
      await server.post(`/deployments/${deployment.body.id}/create_flow_run`, { parameters: large }),
      await server.patch(`/flow_runs/${other}`, { parameters: large }),
    ]) {
      assert.equal(answer.status, 422, `${characters}: ${answer.text.slice(0, 200)}`);
      const [issue] = answer.body.exception_detail;
      assert.equal(issue.loc.at(-1), 'parameters');
      assert.match(issue.msg, /Flow run parameters must be less than 524,288 bytes/);
    }
  }
  const beyond = { flow_id: flow.body.id, parameters: { text: 'x'.repeat(17_000_000) } };
  const refused = await server.post('/flow_runs/', beyond);
  assert.equal(refused.status, 413);
  assert.match(refused.text, /larger than this server accepts: at most 16777216 bytes \(SIGNALBOX_MAX_BODY_BYTES\)/);
});

test('large data is returned as it was sent', async () => {
  const data = `{"1":1.0,"0":${list('{"b":1e5,"a":[12345678901234567890,"é\\ud83d"]}', 2 * MEGABYTE)},"__proto__":null}`;
  const made = await server.post('/artifacts/', `{"key":"exact","data":${data.replaceAll(',', ' , ')}}`, json);
  assert.equal(made.status, 201, made.text.slice(0, 1000));
  const kept = (await server.get(`/artifacts/${made.body.id}`)).text;
  assert.ok(kept.includes(`"data":${data.replaceAll('1e5', '100000.0')}`), kept.slice(0, 300));
});

test('a large list is kept whole, and refused with the positions of its errors', async () => {
  const line = { name: 'large', level: 20, timestamp: created, message: 'a line' };
  const lines = Array.from({ length: 5000 }, (_, index) => ({ ...line, message: `line ${index}` }));
  assert.equal((await server.post('/logs/', lines)).status, 201);
  const found = await server.post('/logs/filter', { sort: 'TIMESTAMP_ASC', offset: 4998 });
  assert.deepEqual(
    found.body.map((log: { message: string }) => log.message),
    ['line 4998', 'line 4999'],
  );
  const { name: _, ...nameless } = line;
  const refused = await server.post('/logs/', [...lines, nameless, { ...line, level: 'x' }]);
  assert.equal(refused.status, 422);
  assert.deepEqual(
    refused.body.exception_detail.map((issue: { loc: unknown; input: unknown }) => [issue.loc, issue.input]),
    [
      [['body', 5000, 'name'], null],
      [['body', 5001, 'level'], null],
    ],
  );
  assert.equal(refused.body.request_body, null);
});

test('a large body that is not valid JSON is refused with the position of the error', async () => {
  const text = `{"key":"broken","data":${list('1', MEGABYTE)}`;
  const answer = await server.post('/artifacts/', text, json);
  assert.equal(answer.status, 422);
  assert.deepEqual(answer.body.exception_detail[0].loc, ['body', text.length]);
  assert.equal((await server.post('/artifacts/', `${'['.repeat(200_000)}`, json)).status, 400);
});

test('a list of a million invalid values is refused after the first thousand', async () => {
  const values = list('1', 2 * MEGABYTE);
  const steps = await stepsOf(async () => {
    const answer = await server.post('/logs/', values, json);
    assert.equal(answer.status, 422);
    assert.deepEqual(answer.body.exception_detail.at(-1).loc, ['body', 999]);
  });
  // Reading the text takes 13 for each character; looking at every value would take as many again.
  assert.ok(steps < 16 * values.length, `${steps} steps for ${values.length} characters`);
});

test('data that the server inspects may have 1 MB, for each item in a list', async () => {
  const related = list('{"prefect.resource.id":"a","prefect.resource.role":"b"}', 2 * MEGABYTE);
  const event = `{"occurred":"${created}","event":"a","resource":{"prefect.resource.id":"a"},"id":"00000000-0000-4000-8000-000000000001","related":${related}}`;
  assert.equal((await server.post('/events', `[${event}]`, json)).status, 413);
});

test('a large body is read in many turns of the event loop, so other requests are answered meanwhile', async (t) => {
  const { mock } = t.mock.method(globalThis, 'setImmediate');
  const answer = await server.post('/artifacts/', `{"key":"slow","data":${list('{"a":1}', 8 * MEGABYTE)}}`, json);
  assert.equal(answer.status, 201);
  // The one of `nextTurn`, which gives way to others.
  const turns = mock.calls.filter(
    ({ arguments: [given] }) => (given as unknown as { name: string }).name === 'takeTurn',
  );
  assert.ok(turns.length > 100, `${turns.length} turns`);
});

test('an object has at most 1,000 tags', async () => {
  const tags = Array.from({ length: 1001 }, (_, index) => `tag ${index}`);
  assert.equal((await server.post('/variables/', { name: 'tags', value: 1, tags: tags.slice(1) })).status, 201);
  const refused = await server.post('/flows/', { name: 'tags', tags });
  assert.equal(refused.status, 422);
  assert.deepEqual(refused.body.exception_detail[0].loc, ['body', 'tags']);
});
