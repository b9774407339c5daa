import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deadlines } from './deadlines.ts';

test('deadlines are over in the order they were last added in; what was removed is never over', async () => {
  const deadlines = new Deadlines(0.02);
  const over: string[] = [];
  await new Promise<void>((resolve) => {
    const named = (name: string, then = () => {}) => ({
      expire: () => {
        over.push(name);
        then();
      },
    });
    const last = named('last', resolve);
    const removed = named('removed');
    deadlines.add(last);
    deadlines.add(removed);
    deadlines.add(named('first'));
    deadlines.remove(removed);
    deadlines.add(last);
  });
  assert.deepEqual(over, ['first', 'last']);
});

test('what is added after all others were over is over too', async () => {
  const deadlines = new Deadlines(0.01);
  for (let round = 0; round < 2; round++) await new Promise<void>((resolve) => deadlines.add({ expire: resolve }));
});
