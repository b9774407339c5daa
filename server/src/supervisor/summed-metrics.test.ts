import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { SentMetric } from '../supervision/messages.ts';
import { SummedMetrics } from './summed-metrics.ts';

/** The metrics of a process that has answered so many requests. */
async function metricsOf(requests: number): Promise<readonly SentMetric[]> {
  const registry = new Registry();
  const registers = [registry];
  const help = 'help';
  new Counter({ name: 'requests_total', help, labelNames: ['route'], registers }).inc({ route: 'a' }, requests);
  new Gauge({ name: 'under_way', help, registers }).set(requests);
  new Gauge({ name: 'last_success', help, aggregator: 'max', registers }).set(requests);
  new Gauge({ name: 'nodejs_eventloop_lag_p99_seconds', help, aggregator: 'average', registers }).set(requests / 10);
  const seconds = new Histogram({ name: 'seconds', help, buckets: [1, 2], registers });
  for (let one = 0; one < requests; one++) seconds.observe(1.5);
  return JSON.parse(JSON.stringify(await registry.getMetricsAsJSON())) as readonly SentMetric[];
}

test('sums are added up, the event loop is told by process, and nothing is lost with a process', async () => {
  const processes = new Map([
    ['0', await metricsOf(3)],
    ['1', await metricsOf(4)],
  ]);
  const summed = new SummedMetrics(async () => [...processes].map(([process, metrics]) => ({ process, metrics })));
  const lines = async () => (await summed.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.deepEqual(await lines(), [
    'requests_total{route="a"} 7',
    'under_way 7',
    'last_success 4',
    'nodejs_eventloop_lag_p99_seconds{process="0"} 0.3',
    'nodejs_eventloop_lag_p99_seconds{process="1"} 0.4',
    'seconds_bucket{le="1"} 0',
    'seconds_bucket{le="2"} 7',
    'seconds_bucket{le="+Inf"} 7',
    'seconds_sum 10.5',
    'seconds_count 7',
  ]);
  processes.delete('0');
  summed.end('0');
  assert.deepEqual((await lines()).toSorted(), [
    'last_success 4',
    'nodejs_eventloop_lag_p99_seconds{process="1"} 0.4',
    'requests_total{route="a"} 7',
    'seconds_bucket{le="+Inf"} 7',
    'seconds_bucket{le="1"} 0',
    'seconds_bucket{le="2"} 7',
    'seconds_count 7',
    'seconds_sum 10.5',
    'under_way 4',
  ]);
});

test('a process with values that cannot be added up takes only its own with it', async () => {
  const counter = { name: 'requests_total', help: 'help', type: 'counter' };
  const values = [{ labels: {}, value: 2 }];
  const summed = new SummedMetrics(async () => []);
  for (const aggregator of ['of a later version', 'sum', 'sum']) {
    summed.note({ process: '0', metrics: [{ ...counter, aggregator, values }] });
    summed.end('0');
  }
  assert.match(await summed.text(), /^requests_total 4$/m);
});
