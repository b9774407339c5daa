import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../test/support/until.ts';
import { doing, watchEventLoop } from './event-loop-watch.ts';
import { createLogger } from './logger.ts';

function hold(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('a long turn of the event loop is told with what held it, a short one is not', async (context) => {
  const lines: string[] = [];
  context.after(watchEventLoop(createLogger('warn', { write: (line) => lines.push(line) })));
  setImmediate(() => {
    doing('GET /quick');
    hold(20);
    doing('POST /slow');
    hold(500);
    doing('GET /late');
    hold(20);
  });
  await until('the line', () => lines.length > 0);
  const { doing: what, milliseconds, msg } = JSON.parse(lines[0]!);
  assert.equal(msg, 'the event loop was held up');
  assert.equal(what, 'POST /slow');
  assert.ok(milliseconds > 200 && milliseconds < 2000, String(milliseconds));
});
