import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../test/support/until.ts';
import { doing, watchEventLoop } from './event-loop-watch.ts';
import { createLogger } from './logger.ts';

function hold(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('a long turn of the event loop is logged with its cause, a short one is not', async (context) => {
  const lines: string[] = [];
  context.after(watchEventLoop(createLogger('warn', { write: (line) => lines.push(line) })));
  const holdUp = () => {
    doing('GET /quick');
    hold(20);
    doing('POST /slow');
    hold(500);
    doing('GET /late');
    hold(20);
  };
  // On an overloaded machine the watch may blame the missing processor for a delay, so the test retries until it does
  // not.
  let tried = -1;
  const held = await until('the line', () => {
    // The watch logged the last attempt.
    if (lines.length > tried) {
      tried = lines.length;
      setImmediate(holdUp);
    }
    return lines.find((line) => !line.includes('got no processor time'));
  });
  const { doing: what, milliseconds, msg } = JSON.parse(held);
  assert.equal(msg, 'the event loop was blocked');
  assert.equal(what, 'POST /slow');
  assert.ok(milliseconds > 200 && milliseconds < 20_000, String(milliseconds));
});
