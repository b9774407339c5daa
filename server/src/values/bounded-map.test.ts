import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { evictions } from '../watching/telemetry.ts';
import { BoundedMap } from './bounded-map.ts';

const HOUR = 3_600_000;

function kept(bounds: { most: number; mostBytes?: number }) {
  let now = 0;
  const dropped: string[] = [];
  const values = new BoundedMap<string, string>({
    name: 'the test',
    weigh: (value) => value.length,
    idleMilliseconds: HOUR,
    elapsed: () => now,
    dropped: (_, key) => dropped.push(key),
    ...bounds,
  });
  const use = (holder: string, key: string, value = key) => values.getOrMake(`${holder} ${key}`, () => value, holder);
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { values, use, pass, dropped };
}

describe('a bounded map', () => {
  test('drops the values used longest ago, one at a time', () => {
    const { use, dropped } = kept({ most: 3 });
    for (const key of ['1', '2', '3', '1', '4', '5']) use('', key);
    assert.deepEqual(dropped, [' 2', ' 3']);
  });

  test('a holder that fills the room loses its own values', () => {
    const { use, dropped } = kept({ most: 3 });
    use('bob', 'only');
    for (const key of ['1', '2', '1', '3', '4']) use('ada', key);
    assert.deepEqual(dropped, ['ada 2', 'ada 1']);
  });

  test('a newcomer finds room in a full house, at the cost of the largest holder', () => {
    const { use, dropped } = kept({ most: 3 });
    use('ada', '1');
    use('ada', '2');
    use('bob', '1');
    use('eve', '1');
    assert.deepEqual(dropped, ['ada 1']);
  });

  test('the holder with the most bytes gives way when all together are too heavy', () => {
    const { values, use, dropped } = kept({ most: 100, mostBytes: 1000 });
    for (let many = 0; many < 20; many++) use('bob', String(many), 'x'.repeat(10));
    use('ada', '1', 'x'.repeat(400));
    use('ada', '2', 'x'.repeat(300));
    use('eve', '1', 'x'.repeat(200));
    assert.deepEqual(dropped, ['ada 1']);
    // A value that grows is weighed anew.
    values.set('eve 1', 'x'.repeat(600), 'eve');
    assert.deepEqual(dropped, ['ada 1', 'ada 2'], 'the value itself stays');
  });

  test('a value that nobody has used for long is gone, and goes before one that is used', () => {
    const { values, use, pass, dropped } = kept({ most: 3 });
    use('bob', 'old');
    pass(HOUR - 1);
    use('ada', '1');
    pass(1);
    assert.equal(values.get('bob old'), undefined);
    use('ada', '2');
    use('ada', '3');
    assert.deepEqual([dropped, values.size], [['bob old'], 3]);
  });

  test('a deleted value leaves its room, and is made anew', () => {
    const { values, use, dropped } = kept({ most: 1 });
    use('ada', '1');
    assert.equal(values.delete('ada 1'), '1');
    assert.equal(values.delete('ada 1'), undefined);
    use('bob', '1');
    assert.deepEqual(dropped, []);
  });

  test('tells the metric each value that it had no room for', () => {
    const told: string[] = [];
    const stop = evictions.listen(({ map }) => told.push(map));
    const { use, pass } = kept({ most: 2 });
    for (const key of ['1', '2', '3', '4']) use('', key);
    pass(HOUR);
    use('', '5');
    stop();
    assert.deepEqual(told, ['the test', 'the test']);
  });
});
