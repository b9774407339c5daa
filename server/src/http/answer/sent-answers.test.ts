import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { person } from '../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';

/** Longer than a list row holds, with characters that JSON escapes. */
const LONG = 'a "quoted" \\ line\nwith \u0001 and é, €, 🚦; '.repeat(2000);
const NOW = '2026-01-01T00:00:00Z';

/** Estimates grow with the time of the request. */
const withoutEstimates = (json: string) => json.replace(/"estimated_start_time_delta":[\d.e-]+/g, '');

for (const database of databases) {
  describe(`answers with large values on ${database}`, () => {
    let server: TestServer;
    let flow: string;
    let run: string;
    before(async () => {
      server = await startServer({ database });
      flow = (await server.post('/flows/', { name: 'large' })).body.id;
      const parameters = `{"b": 1.0, "a": 12345678901234567890, "text": ${JSON.stringify(LONG)}}`;
      run = (await server.post('/flow_runs/', `{"flow_id": "${flow}", "parameters": ${parameters}}`)).body.id;
    });
    after(() => server.stop());

    const created = async (path: string, body: object) => {
      const answer = await server.post(path, body);
      assert.ok(answer.status < 300, answer.text);
      return answer.body.id as string;
    };

    test('a list returns a run exactly as a read of that run does', async () => {
      await created(`/flow_runs/${run}/set_state`, {
        state: { type: 'COMPLETED', message: LONG, data: { type: 'unpersisted', text: LONG } },
      });
      const alone = await server.get(`/flow_runs/${run}`);
      assert.equal((await server.post('/flow_runs/filter', {})).text, `[${alone.text}]`);
      const page = (await server.post('/flow_runs/paginate', {})).text;
      assert.ok(page.includes(alone.text), 'a page returns the same');
      const states = (await server.get(`/flow_run_states/?flow_run_id=${run}`)).body;
      assert.deepEqual(states.at(-1), (await server.get(`/flow_run_states/${states.at(-1).id}`)).body);
    });

    test('the lists of other resources do so too', async () => {
      const task = { flow_run_id: run, task_key: 't', dynamic_key: '0' };
      const resources: [path: string, list: string, id: string][] = [
        [
          '/task_runs',
          '/task_runs/filter',
          await created('/task_runs/', { ...task, task_inputs: { x: [{ input_type: 'parameter', name: LONG }] } }),
        ],
        [
          '/deployments',
          '/deployments/filter',
          await created('/deployments/', { name: 'd', flow_id: flow, description: LONG, parameters: { x: LONG } }),
        ],
        ['/artifacts', '/artifacts/filter', await created('/artifacts/', { data: LONG, description: LONG })],
        ['/saved_searches', '/saved_searches/filter', await savedSearch()],
      ];
      for (const [path, list, id] of resources) {
        const alone = await server.get(`${path}/${id}`);
        assert.ok(alone.text.length > LONG.length, path);
        const listed = await server.post(list, {});
        assert.equal(listed.status, 200, path);
        assert.ok(withoutEstimates(listed.text).includes(withoutEstimates(alone.text)), path);
      }
    });

    test('a long log message is returned as it was sent', async () => {
      await server.post('/logs/', [{ name: 'n', level: 20, message: LONG, timestamp: NOW, flow_run_id: run }]);
      assert.equal((await server.post('/logs/filter', {})).body[0].message, LONG);
      const csv = (await server.get(`/flow_runs/${run}/logs/download`)).text;
      assert.ok(csv.includes(LONG.replaceAll('"', '""')));
    });

    test('a client that accepts gzip gets it', async () => {
      const plain = await server.post('/flow_runs/filter', {});
      assert.equal(plain.headers['content-encoding'], undefined);
      assert.equal(gunzipSync(await zipped()).toString(), plain.text);
    });

    test('a viewer sees no secret of large job variables', async () => {
      const admin = await person(server, 'ada@example.com', 'admin');
      const made = (await admin.post('/organizations/default/workspaces', { name: 'w', handle: 'w' })).body;
      const viewer = await person(server, 'viewer@example.com', 'member');
      await admin.put(`/organizations/default/workspaces/${made.id}/grants/${viewer.id}`, { role: 'viewer' });
      const hosted = `/api/accounts/${made.organizationId}/workspaces/${made.id}`;
      const ask = (key: string, path: string, body: object) =>
        server.request('POST', hosted + path, JSON.stringify(body), {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
        });
      const flow_id = (await ask(admin.key, '/flows/', { name: 'f' })).body.id;
      const job_variables = { env: { LONG }, api_key: 'canary-8811', image: LONG };
      await ask(admin.key, '/deployments/', { name: 'd', flow_id, job_variables });
      const listed = await ask(viewer.key, '/deployments/filter', {});
      assert.equal(listed.body[0].job_variables.image, LONG);
      assert.equal(listed.body[0].job_variables.api_key, '********');
      assert.equal(listed.body[0].job_variables.env.LONG, '********');
      assert.equal((await ask(admin.key, '/deployments/filter', {})).body[0].job_variables.api_key, 'canary-8811');
    });

    async function savedSearch(): Promise<string> {
      const filters = [{ object: 'flow', property: 'name', type: 'string', operation: 'equals', value: LONG }];
      return (await server.put('/saved_searches/', { name: 's', filters })).body.id;
    }

    async function zipped(): Promise<Buffer> {
      const address = (await server.listen()).replace(/^ws/, 'http').replace(/\/api.*/, '');
      return new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json', 'accept-encoding': 'gzip' };
        request(`${address}/api/flow_runs/filter`, { method: 'POST', headers }, (answer) => {
          assert.equal(answer.headers['content-encoding'], 'gzip');
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts)));
        })
          .on('error', reject)
          .end('{}');
      });
    }
  });
}
