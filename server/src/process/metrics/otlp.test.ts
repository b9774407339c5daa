// Runs in a process of its own: it sets variables of the environment.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { startServer, type TestServer } from '../../../test/support/server.ts';
import { until } from '../../../test/support/until.ts';
import { readConfig } from '../../config.ts';

interface Point {
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[];
  readonly asDouble?: number;
  readonly count?: number;
  readonly bucketCounts?: readonly number[];
  readonly explicitBounds?: readonly number[];
}
interface Metric {
  readonly name: string;
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: readonly Point[] };
  readonly gauge?: { readonly dataPoints: readonly Point[] };
  readonly histogram?: { readonly dataPoints: readonly Point[] };
}

/** The bodies that the collector received, and the headers of the last one. */
const received: string[] = [];
let headers: NodeJS.Dict<string | string[]> = {};
let status = 200;
const collector = createServer(async (request, response) => {
  if (request.url === '/v1/metrics') {
    headers = request.headers;
    received.push(await text(request));
  }
  response.writeHead(status).end();
});
const logged: string[] = [];
let server: TestServer;

before(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  process.env['OTEL_METRIC_EXPORT_INTERVAL'] = '100';
  process.env['OTEL_EXPORTER_OTLP_HEADERS'] = 'x-token=open%20sesame,x-tenant=a';
  process.env['OTEL_RESOURCE_ATTRIBUTES'] = 'deployment.environment=trial';
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`;
  server = await startServer({ config: { metricsSending: true }, onLogLine: (line) => logged.push(line) });
});
after(async () => {
  await server.stop();
  collector.close();
});

/** The values of a metric in what was sent last; none when it is not there. */
function sent(name: string): Metric | undefined {
  const { resourceMetrics } = JSON.parse(received.at(-1) ?? '{"resourceMetrics":[]}');
  const metrics: Metric[] = resourceMetrics[0]?.scopeMetrics[0]?.metrics ?? [];
  return metrics.find((metric) => metric.name === name);
}

function pointOf(points: readonly Point[] | undefined, key: string, value: string): Point | undefined {
  return points?.find(({ attributes }) => attributes.some((one) => one.key === key && one.value.stringValue === value));
}

test('a collector gets the metrics that /metrics has', async () => {
  for (const name of ['one', 'two', 'three']) assert.equal((await server.post('/flows/', { name })).status, 201);
  const requests = await until(
    'the requests are counted',
    () => {
      const found = sent('signalbox_http_requests_total');
      return pointOf(found?.sum?.dataPoints, 'route', 'POST /flows/')?.asDouble === 3 && found;
    },
    60,
  );
  assert.equal(requests.sum?.isMonotonic, true);
  const duration = pointOf(
    sent('signalbox_http_request_duration_seconds')?.histogram?.dataPoints,
    'route',
    'POST /flows/',
  );
  assert.equal(duration?.count, 3);
  assert.equal(duration?.bucketCounts?.length, (duration?.explicitBounds?.length ?? 0) + 1);
  assert.equal(
    duration?.bucketCounts?.reduce((sum, count) => sum + count, 0),
    3,
  );
  assert.equal(sent('signalbox_database_up')?.gauge?.dataPoints[0]?.asDouble, 1);
  assert.deepEqual([headers['x-token'], headers['x-tenant']], ['open sesame', 'a']);
  const { attributes } = JSON.parse(received.at(-1) ?? '').resourceMetrics[0].resource;
  assert.equal(pointOf([{ attributes }], 'deployment.environment', 'trial')?.attributes, attributes);
  assert.equal(pointOf([{ attributes }], 'service.name', 'signalbox')?.attributes, attributes);
});

test('a collector that fails is told of once, without the credential, and tried again', async () => {
  const told = (text: string) => logged.filter((line) => line.includes(text)).length;
  status = 503;
  await until('the log says so', () => told('do not reach the collector') > 0, 60);
  const before = received.length;
  await until('it is tried again', () => received.length > before + 2, 60);
  assert.equal(told('do not reach the collector'), 1);
  status = 200;
  await until('the log says that it is over', () => told('reach the collector again') > 0, 60);
  assert.equal(told('open sesame') + told('open%20sesame'), 0);
});

test('metrics are sent only where the environment names a collector', () => {
  const sends = (environment: Record<string, string | undefined>) => readConfig({}, environment).metricsSending;
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
  assert.deepEqual(
    [
      {},
      endpoint,
      { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector:4318/v1/metrics' },
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' },
      { ...endpoint, OTEL_METRICS_EXPORTER: 'none' },
      { ...endpoint, OTEL_SDK_DISABLED: 'true' },
    ].map(sends),
    [false, true, true, false, false, false],
  );
});
