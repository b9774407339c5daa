import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UpstreamError } from '../../../upstream/upstream.ts';
import { BackOff } from './back-off.ts';

test('each failure in a row doubles the pause, up to five minutes', () => {
  const backOff = new BackOff(() => 0);
  const pauses = Array.from({ length: 11 }, () => {
    backOff.failed('exited', 1);
    return backOff.waitSeconds;
  });
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  assert.deepEqual([backOff.total, backOff.lastFailure], [11, 'exited']);
});

test('a process that ran for a minute, and a change of the server, begin anew', () => {
  const backOff = new BackOff(() => 0);
  for (let count = 0; count < 5; count++) backOff.failed('exited', 1);
  backOff.failed('exited', 60);
  assert.equal(backOff.waitSeconds, 1);
  backOff.failed('exited', 1);
  backOff.reset();
  assert.equal(backOff.waitSeconds, 0);
});

test('a caller waits out a short pause, and is sent away from a long one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const backOff = new BackOff(() => now);
  await backOff.untilAllowed();
  backOff.failed('exited', 1);
  const allowed = backOff.untilAllowed();
  t.mock.timers.tick(1000);
  await allowed;
  backOff.failed('exited', 1);
  backOff.failed('exited', 1);

  await assert.rejects(
    backOff.untilAllowed(),
    (error) => error instanceof UpstreamError && /restarts in 4 s/.test(error.message) && error.retryAfterSeconds === 4,
  );
  now = 4000;
  await backOff.untilAllowed();
});
