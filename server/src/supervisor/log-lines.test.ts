import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { until } from '../../test/support/until.ts';
import { passLines } from './log-lines.ts';

test('lines are passed on whole, and name their process where they do not say it themselves', async () => {
  const lines: string[] = [];
  const [one, other] = [new PassThrough(), new PassThrough()];
  const sink = { write: (line: string) => lines.push(line) > 0, whenFree: () => {} };
  passLines(one, 'process 0', sink);
  passLines(other, 'process 1', sink);
  one.write('{"process":0,"msg":"a ');
  other.write('{"process":1}\nan exception\n');
  one.write('word"}\n{"process":0');
  one.end();
  await until('all is passed on', () => lines.length === 4);
  assert.deepEqual(lines.toSorted(), [
    'process 1: an exception\n',
    '{"process":0\n',
    '{"process":0,"msg":"a word"}\n',
    '{"process":1}\n',
  ]);
});

test('a process waits while nobody reads the log', async () => {
  const lines: string[] = [];
  let isFree = false;
  let free = () => {};
  const from = new PassThrough();
  passLines(from, 'process 0', {
    write: (line) => {
      lines.push(line);
      return isFree;
    },
    whenFree: (act) => (free = act),
  });
  from.write('{}\n');
  await until('the line is there', () => lines.length === 1);
  assert.equal(from.isPaused(), true);
  isFree = true;
  free();
  from.write('{}\n');
  await until('the next line is there', () => lines.length === 2);
});
