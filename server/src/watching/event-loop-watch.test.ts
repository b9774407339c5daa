import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { doing, watchEventLoop } from './event-loop-watch.ts';
import { createLogger } from './logger.ts';

/** Milliseconds between two looks of the watch. */
const TICK = 50;

/** A watch whose clocks and timer show what the test says. */
function watch(t: TestContext) {
  const passed = { elapsed: 0, onProcessor: 0 };
  t.mock.timers.enable({ apis: ['setInterval'] });
  t.mock.method(performance, 'now', () => passed.elapsed);
  t.mock.method(process, 'threadCpuUsage', (before?: NodeJS.CpuUsage) => ({
    user: passed.onProcessor * 1000 - (before?.user ?? 0),
    system: 0,
  }));
  const lines: string[] = [];
  t.after(watchEventLoop(createLogger('warn', { write: (line) => lines.push(line) })));
  return {
    /** Spends time, on a processor or waiting for one. */
    hold: (milliseconds: number, onProcessor = milliseconds) => {
      passed.elapsed += milliseconds;
      passed.onProcessor += onProcessor;
    },
    /** The timer fires; what it logs. */
    look: () => {
      t.mock.timers.tick(TICK);
      return lines.splice(0).map((line) => JSON.parse(line));
    },
  };
}

test('a long turn of the event loop is logged with its cause, a short one is not', (t) => {
  const { hold, look } = watch(t);
  doing('POST /short');
  hold(TICK + 200);
  assert.deepEqual(look(), []);
  doing('GET /quick');
  hold(20);
  doing('POST /slow');
  hold(500);
  doing('GET /late');
  hold(20);
  const [line, ...others] = look();
  assert.deepEqual(
    [line.msg, line.doing, line.milliseconds, others],
    ['the event loop was blocked', 'POST /slow', 540 - TICK, []],
  );
  hold(TICK);
  assert.deepEqual(look(), [], 'the turn is logged once');
});

test('a process that got no processor time is not said to be blocked', (t) => {
  const { hold, look } = watch(t);
  doing('POST /starved');
  hold(1000, 100);
  const told = () => look().map(({ msg, doing, milliseconds, unlogged }) => ({ msg, doing, milliseconds, unlogged }));
  const msg = 'the process got no processor time (logged once in ten minutes)';
  assert.deepEqual(told(), [{ msg, doing: undefined, milliseconds: 950, unlogged: undefined }]);
  for (let time = 0; time < 599; time++) {
    hold(1000, 100);
    assert.deepEqual(look(), []);
  }
  hold(500);
  assert.equal(look()[0].msg, 'the event loop was blocked', 'that is this process, so each is logged');
  hold(1000, 100);
  assert.deepEqual(told(), [{ msg, doing: undefined, milliseconds: 950, unlogged: 599 }]);
});
