import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { ForeignSource, PacedReader } from './paced-reader.ts';

/** A clock that only work moves. All readers share one account, so each test begins long after what was before. */
let now = 0;
beforeEach(() => {
  now += 1_000_000;
});

/** Work of so many milliseconds on one piece. */
const work = (milliseconds: number) => () => {
  now += milliseconds;
  return true;
};

/** A reader, a promise of its next `resume`, and the number of its resumes. */
function newReader(source = new ForeignSource()): {
  reader: PacedReader;
  resumed: Promise<void>;
  resumes: () => number;
} {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const resume = () => {
    count++;
    resolve();
  };
  return { reader: new PacedReader(source, resume, () => now), resumed: promise, resumes: () => count };
}

describe('the pace of foreign answers', () => {
  test('a little work never waits, and more waits and goes on by itself', async () => {
    const { reader, resumed } = newReader();
    for (let piece = 0; piece < 10; piece++) assert.equal(reader.read(work(1)), true);
    assert.equal(reader.read(work(5)), false);
    await resumed;
  });

  test('four fifths of the time are for others', () => {
    const source = new ForeignSource();
    newReader(source).reader.read(work(12));
    // 12 ms of work are paid after 60 ms, of which 48 have not passed yet; 50 are free.
    now += 10;
    assert.equal(newReader(source).reader.read(work(2)), true);
    now += 10;
    assert.equal(newReader(source).reader.read(work(5)), false);
  });

  test('all sources that send much have one part together', () => {
    const [one, other] = [new ForeignSource(), new ForeignSource()];
    for (const source of [one, other]) newReader(source).reader.read(work(11));
    for (const source of [one, other]) assert.equal(newReader(source).reader.read(work(1)), false);
  });

  test('an answer of a source that sends little never waits for those that send much', () => {
    const hog = newReader();
    for (let piece = 0; piece < 100; piece++) hog.reader.read(work(20));
    assert.equal(newReader().reader.read(work(5)), true);
    const source = new ForeignSource();
    for (let answer = 0; answer < 50; answer++) {
      assert.equal(newReader(source).reader.read(work(0.1)), true);
      now += 50;
    }
  });

  test('a piece during which the machine did something else holds its source up for a second at most', async () => {
    const { reader, resumed } = newReader();
    assert.equal(reader.read(work(600_000)), false);
    // The clock of the work says ten minutes.
    await resumed;
  });

  test('a source goes on only when both the pace and the reader allow it', async () => {
    const slow = newReader();
    assert.equal(slow.reader.read(work(13)), false, 'above its part');
    slow.reader.read(() => false);
    const other = newReader();
    other.reader.read(work(14));
    await other.resumed;
    assert.equal(slow.resumes(), 0, 'its reader has not asked for more');
    slow.reader.resume();
    assert.equal(slow.resumes(), 1);
  });

  test('an answer that has ended is not resumed', async () => {
    const ended = newReader();
    assert.equal(ended.reader.read(work(13)), false);
    ended.reader.end();
    const other = newReader();
    other.reader.read(work(14));
    await other.resumed;
    assert.equal(ended.resumes(), 0);
  });
});
