import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_SPAN, isRelative, readPast, readSpan, spans, spanTitle } from './span.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const lengthOf = (text: string | undefined) => {
  const { start, end } = readSpan(text, NOW);
  return [(NOW - Date.parse(start)) / 1000, Date.parse(end) > NOW];
};

test('a span in words goes back from now, and a little beyond it', () => {
  assert.deepEqual(lengthOf('1h'), [3600, true]);
  assert.deepEqual(lengthOf('7d'), [604_800, true]);
  assert.deepEqual(lengthOf('30m'), [1800, true]);
});

test('each span that is offered is one that the address can hold', () => {
  for (const [span] of spans) assert.match(span, /^\d+[hd]$/);
  assert.deepEqual(
    spans.map(([span]) => lengthOf(span)[0]),
    [3600, 86_400, 604_800, 2_592_000],
  );
});

test('two times are the span between them', () => {
  const [start, end] = ['2026-11-01T00:00:00.000Z', '2026-11-02T06:30:00.000Z'];
  assert.deepEqual(readSpan(`${start}/${end}`, NOW), { start, end });
});

test('an address that holds no span shows the last day', () => {
  for (const text of [
    undefined,
    '',
    '/',
    'soon',
    '24',
    '-1h',
    '1y',
    '99999d',
    '2026-11-01/',
    '/2026-11-01',
    'a/b',
    '1h; drop',
  ]) {
    assert.deepEqual(readSpan(text, NOW), readSpan(DEFAULT_SPAN, NOW), String(text));
  }
});

test('each side of a span may be relative', () => {
  assert.deepEqual(readSpan('2d/1d', NOW), { start: '2026-11-20T12:00:00.000Z', end: '2026-11-21T12:00:00.000Z' });
  assert.deepEqual(readSpan('2026-11-20T00:00:00Z/now', NOW), {
    start: '2026-11-20T00:00:00.000Z',
    end: '2026-11-22T12:00:00.000Z',
  });
  assert.deepEqual(readPast('1h', NOW), { start: '2026-11-22T11:00:00.000Z', end: '2026-11-22T12:00:00.000Z' });
});

test('a span has words, and one that moves with the time is known', () => {
  assert.deepEqual(['7d', '2d', '1w', '90m'].map(spanTitle), [
    'Last week',
    'Last 2 days',
    'Last 1 week',
    'Last 90 minutes',
  ]);
  assert.match(spanTitle('2026-11-20T12:00:00Z/now'), /^20 Nov \d\d:\d\d – now$/);
  assert.deepEqual([undefined, '2d', 'a'].map(isRelative), [true, true, true]);
  assert.equal(isRelative('2026-11-20T00:00:00Z/2026-11-21T00:00:00Z'), false);
});
