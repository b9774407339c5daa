import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PacedReader } from './paced-reader.ts';

/** Work of so many milliseconds on one piece. */
const busy = (milliseconds: number) => () => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
  return true;
};

/** A reader, and a promise of its next `resume`. */
function reader(): { reader: PacedReader; resumed: Promise<void>; resumes: () => number } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const made = new PacedReader(() => {
    count++;
    resolve();
  });
  return { reader: made, resumed: promise, resumes: () => count };
}

/** A source that pauses as it is told, and sends pieces of so much work until it has sent them all. */
async function sendAll(pieces: number, milliseconds: number): Promise<void> {
  for (let left = pieces; left > 0; ) {
    const { reader: one, resumed } = reader();
    while (left > 0 && one.read(busy(milliseconds))) left--;
    if (left-- > 0) await resumed;
  }
}

describe('the pace of foreign answers', () => {
  test('work beyond its part waits, and goes on by itself', async () => {
    const began = performance.now();
    await sendAll(20, 10);
    // 200 ms of work, of which some pieces are free and the last is not waited for.
    assert.ok(performance.now() - began >= 5 * 150, 'four fifths of the time are free for others');
  });

  test('all answers together have one part', async () => {
    const began = performance.now();
    await Promise.all(Array.from({ length: 10 }, () => sendAll(2, 10)));
    assert.ok(performance.now() - began >= 5 * 90);
  });

  test('a source goes on only when both the pace and the reader allow it', async () => {
    const slow = reader();
    assert.equal(slow.reader.read(busy(60)), false, 'above its part');
    slow.reader.read(() => false);
    const other = reader();
    other.reader.read(busy(1));
    await other.resumed;
    assert.equal(slow.resumes(), 0, 'its reader has not asked for more');
    slow.reader.resume();
    assert.equal(slow.resumes(), 1);
  });

  test('an answer that has ended is not resumed', async () => {
    const ended = reader();
    assert.equal(ended.reader.read(busy(20)), false);
    ended.reader.end();
    const other = reader();
    other.reader.read(busy(1));
    await other.resumed;
    assert.equal(ended.resumes(), 0);
  });
});
