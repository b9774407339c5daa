import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Unavailable } from '../errors.ts';
import { SharedClock } from './shared-clock.ts';

const SECOND = 1_000_000;

/** A machine and a database whose clocks the test sets; a query takes `wayMilliseconds` each way. */
function machine() {
  const at = { elapsed: 1000, wall: 5_000_000, database: 9_000_000_000_000, wayMilliseconds: 2, away: false };
  const pass = (milliseconds: number) => {
    at.elapsed += milliseconds;
    at.wall += milliseconds;
    at.database += milliseconds * 1000;
  };
  const clock = new SharedClock(
    async () => {
      pass(at.wayMilliseconds);
      if (at.away) throw new Unavailable('away');
      const told = at.database;
      pass(at.wayMilliseconds);
      return told;
    },
    { wall: () => at.wall, elapsed: () => at.elapsed },
  );
  clock.stop();
  return { at, pass, clock };
}

describe('the clock of the database', () => {
  test('it is never behind the database, and at most the duration of one query ahead', async () => {
    const { at, pass, clock } = machine();
    assert.throws(() => clock.now(), Unavailable);
    await clock.measure();
    for (let step = 0; step < 100; step++) {
      pass(17);
      const ahead = clock.microseconds() - at.database;
      assert.ok(ahead >= 0 && ahead <= 2000, `${ahead} µs`);
    }
  });

  test("a change of the machine's clock has no effect, and a machine that slept asks again", async () => {
    const { at, pass, clock } = machine();
    await clock.measure();
    at.wall += 3_600_000;
    const before = clock.microseconds();
    assert.ok(before - at.database <= 2000);
    // The machine sleeps: its elapsed time stands still while the database's clock continues.
    at.wall += 600_000;
    at.database += 600 * SECOND;
    await clock.settled();
    assert.ok(Math.abs(clock.microseconds() - at.database) <= 4000);
    const { elapsed } = at;
    await clock.settled();
    assert.equal(at.elapsed, elapsed, 'no query while the clocks agree');
    pass(1);
    assert.ok(clock.microseconds() > before);
  });

  test('it continues while the database is unavailable or answers late', async () => {
    const { at, pass, clock } = machine();
    await clock.measure();
    at.away = true;
    await assert.rejects(clock.measure(), Unavailable);
    at.away = false;
    at.wayMilliseconds = 700;
    await assert.rejects(clock.measure(), Unavailable);
    pass(60_000);
    assert.ok(clock.microseconds() - at.database <= 2000);
  });

  test('its times are distinct and never go back', async () => {
    const { at, clock } = machine();
    await clock.measure();
    const told = new Set(Array.from({ length: 100 }, () => clock.microseconds()));
    assert.equal(told.size, 100);
    at.database -= 1500;
    await clock.measure();
    assert.ok(clock.microseconds() > Math.max(...told));
  });
});
