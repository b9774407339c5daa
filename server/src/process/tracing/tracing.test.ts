// Runs in a process of its own: it sets variables of the environment, and the trace provider is one for the process.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { servingUrl, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { until } from '../../../test/support/until.ts';
import { readConfig } from '../../config.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const traceparent = `00-${TRACE}-${CALLER}-01`;

/** The bodies that a collector received. */
const received: Buffer[] = [];
const collector = createServer(async (request, response) => {
  if (request.url === '/v1/traces') received.push(await buffer(request));
  response.writeHead(200).end();
});
let gateway: TestGateway;

before(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  process.env['OTEL_BSP_SCHEDULE_DELAY'] = '50';
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  gateway = await startGateway({ config: { tracing: true } });
});
after(async () => {
  await gateway.stop();
  collector.close();
});

test('a trace of a caller goes on through requests and the gateway, and reaches the collector', async () => {
  const { server, admin, upstream, register, request } = gateway;
  assert.equal((await server.post('/flows/', { name: 'etl' }, { traceparent })).status, 201);
  assert.equal((await register('weather')).status, 201);
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const sent = { authorization: `Bearer ${admin.key}`, 'content-type': 'application/json', traceparent };
  await request('POST', servingUrl('weather'), body, {
    ...sent,
    accept: 'application/json, text/event-stream',
  });
  const seen = upstream.seen.find(({ body: text }) => String(text).includes('"ping"'))?.headers['traceparent'];
  assert.match(String(seen), new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  assert.notEqual(seen, traceparent);
  const names = ['POST /flows/', 'database write', 'request to an MCP server', 'ask the MCP server'];
  await until('every span is at the collector', () => names.every((name) => Buffer.concat(received).includes(name)));
  assert.ok(Buffer.concat(received).includes(Buffer.from(TRACE, 'hex')));
});

test('nothing is traced unless the environment names a collector', () => {
  const tracing = (environment: Record<string, string>) => readConfig({}, environment).tracing;
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
  assert.deepEqual(
    [{}, endpoint, { ...endpoint, OTEL_SDK_DISABLED: 'true' }, { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }].map(
      tracing,
    ),
    [false, true, false, false],
  );
});
