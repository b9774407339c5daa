import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Unavailable } from '../errors.ts';
import { Gate, type Release, TWO_THIRDS } from './gate.ts';

/** Places of which a share gets two thirds at most. */
const gateOf = (places: number, waits: { milliseconds?: number; mostOfOne?: number } = {}, exempt: string[] = []) =>
  new Gate({
    name: 'the test',
    places,
    levels: [TWO_THIRDS],
    waits: { milliseconds: 60_000, mostOfOne: 100, ...waits },
    exempt,
  });

/** The holders of places, in order. */
function asker(test: TestContext, gate: Gate) {
  const end = new AbortController();
  test.after(() => end.abort());
  const granted: string[] = [];
  const releases = new Map<string, Release[]>();
  return {
    granted,
    ask: (share: string, times = 1) => {
      for (let time = 0; time < times; time++) {
        gate.acquire([share], { signal: end.signal }).then(
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

describe('a gate that lets requests wait', () => {
  test('a share that requests every place leaves room, and the next share gets it at once', async (test) => {
    const { ask, held } = asker(test, gateOf(10));
    ask('greedy', 50);
    await settled();
    assert.equal(held('greedy'), 7);
    ask('other');
    await settled();
    assert.equal(held('other'), 1);
  });

  test('a third share is served while two greedy ones wait, and a free place goes to the share with the fewest', async (test) => {
    const { ask, giveBack, held, granted } = asker(test, gateOf(10));
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
    const gate = gateOf(10);
    for (let round = 0; round < 100; round++) {
      const releases = await Promise.all(Array.from({ length: 6 }, () => gate.acquire(['one'])));
      for (const release of releases) {
        release();
        release();
      }
    }
    const releases = await Promise.all(Array.from({ length: 7 }, () => gate.acquire(['one'])));
    assert.equal(releases.length, 7);
  });

  test('callers of a share take turns, however many requests of one of them wait', async () => {
    const gate = gateOf(2);
    const granted: string[] = [];
    const releases: Release[] = [];
    const ask = async (caller: string) => {
      releases.push(await gate.acquire(['one', caller]));
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
    const gate = gateOf(2, { mostOfOne: 4 });
    const held = await gate.acquire(['one', 'greedy']);
    const greedy = Array.from({ length: 5 }, () => gate.acquire(['one', 'greedy']));
    const refused = assert.rejects(greedy[4]!, Unavailable);
    const other = gate.acquire(['one', 'other']);
    await refused;
    held();
    (await greedy[0]!)();
    assert.ok(await other);
    for (const waiting of greedy.slice(1, 4)) (await waiting)();
  });

  test('an exempt share may take every place', async (test) => {
    const { ask, held } = asker(test, gateOf(10, {}, ['platform']));
    ask('platform', 10);
    await settled();
    assert.equal(held('platform'), 10);
  });

  test('a request that waits too long, exceeds the queue or is cancelled is refused and takes no place later', async () => {
    const gate = gateOf(2, { milliseconds: 10, mostOfOne: 2 });
    const first = await gate.acquire(['one']);
    const second = await gate.acquire(['one']);
    const gone = new AbortController();
    const waiting = [gate.acquire(['one']), gate.acquire(['one'], { signal: gone.signal })];
    await assert.rejects(gate.acquire(['one']), Unavailable);
    gone.abort();
    const outcomes = await Promise.allSettled(waiting);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await assert.rejects(gate.acquire(['one'], { signal: AbortSignal.abort() }), Unavailable);
    first();
    second();
    assert.ok(await gate.acquire(['one']));
  });
});

/** The places of 64 that each gets when those before it have taken all that they may. */
function takenBy(callers: readonly (readonly string[])[]): number[] {
  const gate = new Gate({ name: 'the test', places: 64, levels: [{ timesFree: 15 }, { timesFree: 7 }] });
  return callers.map((shares) => {
    let taken = 0;
    while (gate.take(shares)) taken += 1;
    return taken;
  });
}

describe('a gate of places', () => {
  test('a caller that is alone has nearly all places, its tenant a few more, and other tenants the rest', () => {
    assert.deepEqual(
      takenBy([
        ['tenant', 'caller'],
        ['tenant', 'colleague'],
        ['tenant', 'third'],
        ['other', 'stranger'],
      ]),
      [56, 4, 0, 4],
    );
  });

  test('a place that comes back is free for all of its shares, once', () => {
    const gate = new Gate({ name: 'the test', places: 2, levels: [{ timesFree: 1 }, { timesFree: 1 }] });
    const release = gate.take(['tenant', 'caller']);
    assert.equal(gate.take(['tenant', 'colleague']), undefined);
    release?.();
    release?.();
    assert.deepEqual([gate.heldBy('tenant'), gate.heldBy('caller', 1), gate.taken, gate.isFull], [0, 0, 0, false]);
    assert.ok(gate.take(['tenant', 'colleague']));
  });

  test('lends amounts up to a bound for all and for one, and takes nothing when they do not fit', () => {
    const gate = new Gate({ name: 'the test', places: 10, levels: [{ most: 6 }] });
    const first = gate.take(['ada'], 4);
    assert.equal(gate.take(['ada'], 3), undefined);
    assert.equal(gate.refusalOf(['ada'], 3), 0);
    assert.ok(gate.take(['bob'], 6));
    assert.deepEqual([gate.refusalOf(['eve']), gate.take([], 1), gate.isFull], ['all', undefined, true]);
    first?.();
    assert.ok(gate.take(['ada'], 4));
  });

  test('says the innermost share whose bound is reached', () => {
    const gate = new Gate({ name: 'the test', places: Number.POSITIVE_INFINITY, levels: [{ most: 2 }, { most: 1 }] });
    gate.take(['workspace', 'ada']);
    assert.equal(gate.refusalOf(['workspace', 'ada']), 1);
    gate.take(['workspace', 'bob']);
    assert.equal(gate.refusalOf(['workspace', 'eve']), 0);
  });
});

describe('who goes first', () => {
  test('a returned place goes to one that is first, and a trade comes before all who wait', async () => {
    const gate = new Gate({ name: 'the test', places: 1, waits: { most: 10, mostNotFirst: 1 } });
    const held = gate.take(['client']) as Release;
    const stranger = gate.acquire(['other']);
    const known = gate.acquire(['known'], { first: true });
    await assert.rejects(gate.acquire(['third']), Unavailable);
    const traded = gate.trade(held, ['tenant', 'caller']);
    assert.ok(traded);
    assert.deepEqual([gate.heldBy('client'), gate.taken], [0, 1]);
    traded();
    (await known)();
    (await stranger)();
    assert.equal(gate.taken, 0);
  });

  test('a trade makes room for one that waited for the bound of the old shares', async () => {
    const gate = new Gate({ name: 'the test', places: 3, levels: [{ most: 1 }] });
    const held = gate.take(['client']) as Release;
    const waiting = gate.acquire(['client']);
    assert.ok(gate.trade(held, ['tenant']));
    assert.ok(await waiting);
    assert.equal(gate.taken, 2);
  });

  test('shares of different levels with one name do not count for each other', () => {
    const gate = new Gate({ name: 'the test', places: 10, levels: [{ most: 2 }, { most: 2 }] });
    for (const tenant of ['one', 'two']) assert.ok(gate.take([tenant, 'ada']));
    assert.deepEqual([gate.heldBy('ada'), gate.heldBy('ada', 1)], [0, 2]);
    assert.ok(gate.take(['ada']));
    assert.equal(gate.take(['three', 'ada']), undefined);
  });

  test('a trade that does not fit gives the place to the next', async () => {
    const gate = new Gate({ name: 'the test', places: 2, levels: [{ most: 1 }] });
    gate.take(['tenant']);
    const held = gate.take(['client']) as Release;
    const other = gate.acquire(['other']);
    assert.equal(gate.trade(held, ['tenant']), undefined);
    assert.ok(await other);
  });

  test('a closed gate refuses those who wait and those who would have to', async () => {
    const gate = new Gate({ name: 'the test', places: 1, busy: 'It is closing.' });
    const held = gate.take([]);
    const waiting = assert.rejects(gate.acquire([]), { message: 'It is closing.' });
    gate.close();
    await waiting;
    await assert.rejects(gate.acquire([]), Unavailable);
    held?.();
    assert.ok(await gate.acquire([]));
  });
});
