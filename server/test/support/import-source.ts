/** A server that an import reads: what it holds, and its API behind a socket. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '../../src/values/id.ts';
import type { TestServer } from './server.ts';

/** Runs of the source that have ended. */
export const RUNS = 60;

/** The API of a test server at an address. `before` may answer in its place; then it returns true. */
export async function frontOf(
  server: TestServer,
  before: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
  change: (body: string) => string = (body) => body,
): Promise<{ url: string; close(): void }> {
  const front = createServer(async (request, response) => {
    if (before(request, response)) return;
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    const headers = { 'content-type': 'application/json' };
    const text = body.length > 0 ? Buffer.from(change(Buffer.concat(body).toString('utf8'))) : undefined;
    const answer = await server.request(request.method ?? 'GET', request.url ?? '/', text, headers);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}/api`,
    close: () => {
      front.close();
      front.closeAllConnections();
    },
  };
}

/** One object of each kind, `RUNS` runs that have ended, and one that is scheduled. */
export async function fillSource(server: TestServer): Promise<{ runs: string[]; automation: string }> {
  const make = async (path: string, body: object) => {
    const answer = await server.post(path, body);
    assert.ok(answer.status < 300, `${path}: ${answer.text}`);
    return answer.body;
  };
  await make('/variables/', { name: 'region', value: { ratio: 1, list: [1, 'a'] }, tags: ['geo'] });
  await make('/v2/concurrency_limits/', { name: 'database', limit: 3, slot_decay_per_second: 0.5 });
  await make('/work_pools/', { name: 'pool', type: 'process', concurrency_limit: 4 });
  await make('/work_pools/pool/queues', { name: 'high', priority: 1 });
  const { id: flow_id } = await make('/flows/', { name: 'pipeline', tags: ['etl'], labels: { team: 'data' } });
  const deployment = await make('/deployments/', {
    name: 'nightly',
    flow_id,
    work_pool_name: 'pool',
    work_queue_name: 'high',
    parameters: { n: 1 },
    concurrency_limit: 2,
    schedules: [{ schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin' }, active: true, slug: 'night' }],
  });
  const { id: automation } = await make('/automations/', {
    name: 'again',
    trigger: { type: 'event', posture: 'Reactive', expect: ['prefect.flow-run.Failed'], threshold: 1, within: 0 },
    actions: [{ type: 'run-deployment', source: 'selected', deployment_id: deployment.id }],
  });
  const type = (await server.get('/block_types/slug/secret')).body;
  const [schema] = await make('/block_schemas/filter', { block_schemas: { block_type_id: { any_: [type.id] } } });
  const data = { value: 'opensesame' };
  await make('/block_documents/', { name: 'token', data, block_type_id: type.id, block_schema_id: schema.id });
  const runs: string[] = [];
  for (let index = 0; index < RUNS; index++) {
    const run = await make('/flow_runs/', {
      flow_id,
      name: `run-${index}`,
      tags: ['nightly'],
      parameters: { n: index },
    });
    runs.push(run.id);
    const task = { flow_run_id: run.id, task_key: 'load', dynamic_key: '0', tags: ['slow'] };
    const { id: task_run_id } = await make('/task_runs/', { ...task, state: { type: 'RUNNING' } });
    await make(`/task_runs/${task_run_id}/set_state`, { state: { type: 'COMPLETED' }, force: true });
    for (const state of [{ type: 'RUNNING' }, { type: index % 5 ? 'COMPLETED' : 'FAILED', message: 'the end' }]) {
      await make(`/flow_runs/${run.id}/set_state`, { state, force: true });
    }
    const timestamp = server.context().now;
    await make('/logs/', [
      { name: 'prefect', level: 20, message: `line of ${index}`, timestamp, flow_run_id: run.id, task_run_id },
    ]);
  }
  await make('/artifacts/', { key: 'report', type: 'markdown', data: '# Report', flow_run_id: runs[0] });
  await make('/artifacts/', { key: 'report', type: 'markdown', data: '# Second', flow_run_id: runs[1] });
  await make('/flow_runs/', { flow_id, name: 'one-off', state: { type: 'SCHEDULED' } });
  const occurred = server.context().now;
  const resource = { 'prefect.resource.id': 'shop.order.1' };
  const related = [{ 'prefect.resource.id': 'shop.customer.1', 'prefect.resource.role': 'customer' }];
  const event = { id: newId(), occurred, event: 'external.ordered', resource, related, payload: { total: 1.5 } };
  await make('/events', [event]);
  return { runs, automation };
}
