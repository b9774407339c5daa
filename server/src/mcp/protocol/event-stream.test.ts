import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { dataOf, EventSplitter, EventTooLarge, withData } from './event-stream.ts';

/** Completes an unfinished stream, so that all its bytes come out. */
const END = Buffer.from(':\n\n');

function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const splitter = new EventSplitter();
  const events: Buffer[] = [];
  let start = 0;
  for (const cut of [...new Set(cuts)].filter((at) => at < bytes.length).sort((left, right) => left - right)) {
    events.push(...splitter.push(bytes.subarray(start, cut)));
    start = cut;
  }
  events.push(...splitter.push(bytes.subarray(start)));
  return events;
}

/** The data that a client reads from it. */
function readBy(events: readonly Buffer[]): string[] {
  return events.map(dataOf).filter((data) => data !== undefined);
}

const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const line = fc.oneof(
  fc.constantFrom(
    'data: a',
    'data:b',
    'data',
    'data: {"id":1}',
    ': comment',
    'id: 7',
    'retry: 10',
    'event: message',
    'data: é😀',
    '',
  ),
  fc.string().map((text) => `data: ${text.replaceAll(/[\r\n]/g, '')}`),
);
const stream = fc.array(fc.tuple(line, lineEnd), { maxLength: 30 }).map((lines) => Buffer.from(lines.flat().join('')));

describe('streams of events in pieces', () => {
  test('a stream keeps its bytes and its events in any pieces', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(400), { maxLength: 40 }), (lines, cuts) => {
        const bytes = Buffer.concat([lines, END]);
        const whole = split(bytes, []);
        const pieces = split(bytes, cuts);
        assert.deepEqual(Buffer.concat(pieces), bytes);
        assert.deepEqual(readBy(pieces), readBy(whole));
      }),
      { numRuns: 3000 },
    );
  });

  test('one byte at a time gives the same events', () => {
    const bytes = Buffer.from('data: 1\r\n\r\n: c\r\rdata: 2\ndata: 3\n\n\r\ndata:4\r\n\r\ndata: half');
    const events = split(
      bytes,
      Array.from({ length: bytes.length }, (_, index) => index),
    );
    assert.deepEqual(readBy(events), ['1', '2\n3', '4']);
  });

  test('a replacement takes the place of all data lines, and the rest of the event stays', () => {
    const event = Buffer.from('id: 7\nevent: message\ndata: a\ndata: b\nretry: 5\n\n');
    assert.equal(withData(event, '{}').toString(), 'id: 7\nevent: message\nretry: 5\ndata: {}\n\n');
  });

  test('an endless event is abandoned', () => {
    const splitter = new EventSplitter();
    const chunk = Buffer.alloc(1024 * 1024, 0x61);
    assert.throws(() => {
      for (let count = 0; count < 40; count++) splitter.push(chunk);
    }, EventTooLarge);
  });
});
