import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterOf, intervalOf } from './event-filter.ts';

const span = { start: '2026-11-21T12:00:00.000Z', end: '2026-11-22T12:00:00.000Z' };
const lasting = (seconds: number) => ({
  start: span.start,
  end: new Date(Date.parse(span.start) + seconds * 1000).toISOString(),
});

test('events are those of the span, newest first', () => {
  assert.deepEqual(filterOf({}, span), { occurred: { since: span.start, until: span.end }, order: 'DESC' });
});

test('events are narrowed by the beginnings of their names, a resource and words', () => {
  const { event, any_resource, text } = filterOf(
    { event: 'prefect.flow-run,order.', resource: 'shop.', q: 'a "b c"' },
    span,
  );
  assert.deepEqual(event, { prefix: ['prefect.flow-run', 'order.'] });
  assert.deepEqual(any_resource, { id_prefix: ['shop.'] });
  assert.deepEqual(text, { query: 'a "b c"' });
});

test('names may be typed with spaces, and a comma at the end asks for nothing more', () => {
  assert.deepEqual(filterOf({ event: ' order., stock.low ,' }, span).event, { prefix: ['order.', 'stock.low'] });
  assert.equal(filterOf({ event: ' , ' }, span).event, undefined);
});

test('a histogram has at most 96 bars, of a length that people know', () => {
  const lengths = [60, 96, 3600, 86_400, 604_800, 2_592_000].map((seconds) => intervalOf(lasting(seconds)));
  assert.deepEqual(lengths, [1, 1, 60, 900, 7200, 43_200]);
});

test('a histogram of years has at most 96 bars', () => {
  const years = 10 * 365 * 86_400;
  assert.ok(years / intervalOf(lasting(years)) <= 96);
});
