import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deadlines, Timed } from './deadlines.ts';

class Named extends Timed {
  readonly #then: () => void;

  constructor(then: () => void) {
    super();
    this.#then = then;
  }

  expire(): void {
    this.#then();
  }
}

test('deadlines expire in the order they were last added; a removed one never expires', async () => {
  const deadlines = new Deadlines(0.02);
  const over: string[] = [];
  await new Promise<void>((resolve) => {
    const named = (name: string) => new Named(() => over.push(name));
    const last = new Named(() => {
      over.push('last');
      resolve();
    });
    const removed = named('removed');
    deadlines.add(last);
    deadlines.add(removed);
    deadlines.add(named('first'));
    deadlines.add(named('second'));
    deadlines.remove(removed);
    deadlines.remove(last);
    deadlines.add(last);
  });
  assert.deepEqual(over, ['first', 'second', 'last']);
});

test('a deadline that is added after all others expired expires too', async () => {
  const deadlines = new Deadlines(0.01);
  for (let round = 0; round < 2; round++) await new Promise<void>((resolve) => deadlines.add(new Named(resolve)));
});
