import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Unavailable } from '../errors.ts';
import { PlaceQueue } from './place-queue.ts';
import type { Release } from './places.ts';

const limits = { places: 10, waitMilliseconds: 60_000, maxWaiting: 100 };

/** The holders of places, in order. */
function asker(test: TestContext, shares: PlaceQueue) {
  const end = new AbortController();
  test.after(() => end.abort());
  const granted: string[] = [];
  const releases = new Map<string, Release[]>();
  return {
    granted,
    ask: (share: string, times = 1) => {
      for (let time = 0; time < times; time++) {
        shares.acquire(share, end.signal).then(
          (release) => {
            granted.push(share);
            releases.set(share, [...(releases.get(share) ?? []), release]);
          },
          () => {},
        );
      }
    },
    giveBack: (share: string) => releases.get(share)?.pop()?.(),
    held: (share: string) => releases.get(share)?.length ?? 0,
  };
}

const settled = () => new Promise(setImmediate);

describe('shared places', () => {
  test('a share that requests every place leaves room, and the next share gets it at once', async (test) => {
    const { ask, held } = asker(test, new PlaceQueue(limits));
    ask('greedy', 50);
    await settled();
    assert.equal(held('greedy'), 7);
    ask('other');
    await settled();
    assert.equal(held('other'), 1);
  });

  test('a third share is served while two greedy ones wait, and a free place goes to the share with the fewest', async (test) => {
    const { ask, giveBack, held, granted } = asker(test, new PlaceQueue(limits));
    ask('one', 50);
    ask('two', 50);
    await settled();
    ask('three', 2);
    await settled();
    assert.equal(held('three'), 1);
    for (let time = 0; time < 20; time++) {
      giveBack('one');
      await settled();
    }
    assert.deepEqual([held('two'), held('three')], [3, 2], granted.join(' '));
    assert.ok(held('one') >= 2, granted.join(' '));
  });

  test('a place released twice counts once, and free places are given out at once', async () => {
    const shares = new PlaceQueue(limits);
    for (let round = 0; round < 100; round++) {
      const releases = await Promise.all(Array.from({ length: 6 }, () => shares.acquire('one')));
      for (const release of releases) {
        release();
        release();
      }
    }
    const releases = await Promise.all(Array.from({ length: 7 }, () => shares.acquire('one')));
    assert.equal(releases.length, 7);
  });

  test('callers of a share take turns, however many requests of one of them wait', async () => {
    const shares = new PlaceQueue({ places: 2, waitMilliseconds: 60_000, maxWaiting: 100 });
    const granted: string[] = [];
    const releases: Release[] = [];
    const ask = async (caller: string) => {
      releases.push(await shares.acquire('one', undefined, caller));
      granted.push(caller);
    };
    const asked = [...Array.from({ length: 60 }, () => ask('greedy')), ask('other'), ask('third'), ask('other')];
    await settled();
    for (let time = 0; time < 4; time++) {
      releases.shift()?.();
      await settled();
    }
    assert.deepEqual(granted.slice(-4), ['greedy', 'other', 'third', 'greedy']);
    while (releases.length > 0) {
      releases.shift()?.();
      await settled();
    }
    await Promise.all(asked);
  });

  test('a caller that fills the queue of its share makes room for another caller, and is refused itself', async () => {
    const shares = new PlaceQueue({ places: 2, waitMilliseconds: 60_000, maxWaiting: 4 });
    const held = await shares.acquire('one', undefined, 'greedy');
    const greedy = Array.from({ length: 5 }, () => shares.acquire('one', undefined, 'greedy'));
    const refused = assert.rejects(greedy[4]!, Unavailable);
    const other = shares.acquire('one', undefined, 'other');
    await refused;
    held();
    (await greedy[0]!)();
    assert.ok(await other);
    for (const waiting of greedy.slice(1, 4)) (await waiting)();
  });

  test('an exempt share may take every place', async (test) => {
    const { ask, held } = asker(test, new PlaceQueue(limits, ['platform']));
    ask('platform', 10);
    await settled();
    assert.equal(held('platform'), 10);
  });

  test('a request that waits too long, exceeds the queue or is cancelled is refused and takes no place later', async () => {
    const shares = new PlaceQueue({ places: 2, waitMilliseconds: 10, maxWaiting: 2 });
    const first = await shares.acquire('one');
    const second = await shares.acquire('one');
    const gone = new AbortController();
    const waiting = [shares.acquire('one'), shares.acquire('one', gone.signal)];
    await assert.rejects(shares.acquire('one'), Unavailable);
    gone.abort();
    const outcomes = await Promise.allSettled(waiting);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await assert.rejects(shares.acquire('one', AbortSignal.abort()), Unavailable);
    first();
    second();
    assert.ok(await shares.acquire('one'));
  });
});
