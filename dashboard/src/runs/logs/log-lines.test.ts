import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { linesOf } from './log-lines.ts';

const traceback = [
  'Encountered an exception:',
  'Traceback (most recent call last):',
  '  File "/venv/lib/python3.12/site-packages/prefect/flow_engine.py", line 10, in run',
  '    yield self',
  '    ^^^^^^^^^^',
  '  File "/venv/lib/python3.12/site-packages/prefect/task_engine.py", line 20, in call',
  '    result = fn()',
  '  File "/home/ada/report.py", line 7, in divide',
  '    return sum(rows) / by',
  '           ~~~~~~~~~~^~~~',
  'ZeroDivisionError: division by zero',
].join('\n');

const record = (message: string) => ({ id: 'log', message });
const shown = (message: string, opened: readonly string[] = [], foldsFrames = true) =>
  linesOf(record(message), new Set(opened), foldsFrames);

describe('the lines of a log record', () => {
  test('are those of its message, and the first begins the record', () => {
    assert.deepEqual(
      shown('one\ntwo\n').map(({ text, isFirst }) => [text, isFirst]),
      [
        ['one', true],
        ['two', false],
        ['', false],
      ],
    );
    assert.deepEqual(
      shown('').map(({ text }) => text),
      [''],
    );
  });

  test('show the frames of the user, and one line for those of packages', () => {
    const lines = shown(traceback);
    assert.deepEqual(
      lines.map(({ text, folded }) => (folded > 0 ? `${folded} frames` : text.trim())),
      [
        'Encountered an exception:',
        'Traceback (most recent call last):',
        '2 frames',
        'File "/home/ada/report.py", line 7, in divide',
        'return sum(rows) / by',
        '~~~~~~~~~~^~~~',
        'ZeroDivisionError: division by zero',
      ],
    );
  });

  test('show all of it once the fold is opened, and where folding is off', () => {
    const fold = shown(traceback).find(({ folded }) => folded > 0);
    const whole = traceback.split('\n');
    assert.deepEqual(
      shown(traceback, [fold?.key ?? '']).map(({ text }) => text),
      whole,
    );
    assert.deepEqual(
      shown(traceback, [], false).map(({ text }) => text),
      whole,
    );
  });

  test('have keys that differ, so that each can be found', () => {
    const keys = shown(traceback, [], false).map(({ key }) => key);
    assert.equal(new Set(keys).size, keys.length);
  });

  test('fold frames of Python itself, on any system, and those of no file', () => {
    const files = [
      '/usr/lib/python3.12/asyncio/runners.py',
      'C:\\Python312\\Lib\\asyncio\\runners.py',
      'C:\\venv\\Lib\\site-packages\\prefect\\engine.py',
      '/usr/lib/python3/dist-packages/x.py',
      '<frozen importlib._bootstrap>',
      '<string>',
    ];
    for (const file of files) assert.equal(shown(`  File "${file}", line 3, in x\n    code`)[0]?.folded, 1, file);
    for (const file of ['/home/ada/report.py', 'C:\\work\\report.py', 'report.py', '/srv/library/python_code.py']) {
      assert.equal(shown(`  File "${file}", line 3, in x\n    code`)[0]?.folded, 0, file);
    }
  });

  test('of a message that only looks like a frame are not folded', () => {
    for (const message of ['File not found', 'File "x" is missing', `File "${'x'.repeat(5000)}", line 3`]) {
      assert.deepEqual(
        shown(message).map(({ text }) => text),
        [message],
      );
    }
  });

  test('of ten thousand lines are ten thousand', () => {
    assert.equal(shown('line\n'.repeat(9999)).length, 10_000);
  });
});
