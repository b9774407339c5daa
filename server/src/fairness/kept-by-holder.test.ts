import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KeptByHolder } from './kept-by-holder.ts';

const HOUR = 3_600_000;

function kept(most: number) {
  const dropped: string[] = [];
  const values = new KeptByHolder<string>(most, HOUR, (value) => dropped.push(value));
  const use = (holder: string, key: string, now = 0) => values.findOrMake(holder, key, now, () => `${holder} ${key}`);
  return { values, use, dropped };
}

describe('values that are kept by holder', () => {
  test('a holder that fills the room loses its own values, those used longest ago first', () => {
    const { use, dropped } = kept(3);
    use('bob', 'only');
    use('ada', '1');
    use('ada', '2');
    use('ada', '1');
    use('ada', '3');
    use('ada', '4');
    assert.deepEqual(dropped, ['ada 2', 'ada 1']);
  });

  test('a newcomer finds room in a full house, at the cost of the largest holder', () => {
    const { use, dropped } = kept(3);
    use('ada', '1');
    use('ada', '2');
    use('bob', '1');
    use('eve', '1');
    assert.deepEqual(dropped, ['ada 1']);
  });

  test('a value that nobody has used for long goes when its holder makes another', () => {
    const { use, dropped } = kept(10);
    use('ada', 'old', 0);
    use('bob', 'old', 0);
    use('ada', 'new', HOUR);
    assert.deepEqual(dropped, ['ada old']);
  });

  test('in a full house an idle value of anybody goes before a value that is used', () => {
    const { use, dropped } = kept(3);
    use('bob', 'old', 0);
    use('ada', '1', HOUR);
    use('ada', '2', HOUR);
    use('ada', '3', HOUR);
    assert.deepEqual(dropped, ['bob old']);
  });

  test('a value that was taken leaves its room, and is made anew', () => {
    const { values, use, dropped } = kept(1);
    use('ada', '1');
    assert.equal(values.take('ada', '1'), 'ada 1');
    assert.equal(values.take('ada', '1'), undefined);
    use('bob', '1');
    assert.deepEqual(dropped, []);
  });
});
