import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertWithin, timedTest } from '../../../test/support/timed.ts';
import { causeOf, exceptionOf, readTraceback } from './failure-cause.ts';

describe('the cause of a failure', () => {
  it('is the exception that a client names, of a flow and of a task', () => {
    const flow = exceptionOf('Flow run encountered an exception: ValueError: no row 12');
    assert.deepEqual(flow, { type: 'ValueError', message: 'no row 12' });
    const task = exceptionOf("Task run encountered an exception psycopg.errors.UndefinedTable: relation 'x'");
    assert.deepEqual(task, { type: 'UndefinedTable', message: "relation 'x'" });
    assert.deepEqual(exceptionOf('Flow run encountered an exception: KeyError'), { type: 'KeyError', message: '' });
    assert.equal(exceptionOf('1/3 states failed.'), undefined);
    assert.equal(exceptionOf(null), undefined);
  });

  it('is the same for failures that differ in ids, numbers and quoted values', () => {
    const first = "Task run encountered an exception KeyError: 'user 7' in batch 12 of 0x7f00aa";
    const second = "Task run encountered an exception KeyError: 'user 912' in batch 3 of 0x11";
    assert.equal(causeOf(first), causeOf(second));
    assert.equal(causeOf(first), 'KeyError: … in batch … of …');
    assert.notEqual(causeOf(first), causeOf('Task run encountered an exception TypeError: no'));
  });

  const read = (length: number) => {
    for (const part of ['encountered an exception A(', 'a.', '\'"', '0x1.2,', '\n']) {
      const message = `Flow run encountered an exception: ${part.repeat(length / part.length)}`;
      exceptionOf(message);
      assert.ok(causeOf(message).length <= 160);
      readTraceback(`Traceback (most recent call last):\n${message}`);
    }
  };

  it('is found in a message that repeats what it looks for', () => read(10_000));

  timedTest('is found in a message of a megabyte without blocking', () => assertWithin(1, () => read(1_000_000)));

  it('is one line of at most 160 characters', () => {
    assert.equal(causeOf(`${'x'.repeat(500)}\nsecond line`).length, 160);
    assert.equal(causeOf('first\nsecond'), 'first');
  });
});

const raised = `Encountered exception during execution: ZeroDivisionError('division by zero')
Traceback (most recent call last):
  File "/venv/lib/python3.12/site-packages/prefect/flow_engine.py", line 782, in run_context
    yield self
  File "/app/flows/report.py", line 41, in report
    total = share(rows)
            ^^^^^^^^^^^
  File "/app/flows/report.py", line 17, in share
    return 1 / len(rows)
           ~~^~~~~~~~~~~
  File "/usr/lib/python3.12/json/decoder.py", line 3, in scan
ZeroDivisionError: division by zero
`;

describe('a traceback', () => {
  it('separates the last frame of user code from those of Python and of packages', () => {
    const traceback = readTraceback(raised);
    assert.equal(traceback?.frames.length, 4);
    assert.equal(traceback?.exception, 'ZeroDivisionError: division by zero');
    assert.deepEqual(traceback?.frames[traceback.user_frame ?? -1], {
      file: '/app/flows/report.py',
      line: 17,
      function: 'share',
      code: 'return 1 / len(rows)',
    });
    assert.equal(traceback?.frames[3]?.code, null);
  });

  it('is the last one of a chain of exceptions', () => {
    const chained = `${raised}
During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/flows/report.py", line 50, in outer
    raise RuntimeError('no report')
RuntimeError: no report`;
    assert.equal(readTraceback(chained)?.exception, 'RuntimeError: no report');
    assert.equal(readTraceback(chained)?.frames.length, 1);
  });

  it('is absent where a log line has none, and has at most 200 frames', () => {
    assert.equal(readTraceback('ValueError: no'), undefined);
    const frame = '  File "/app/a.py", line 1, in f\n    f()\n';
    const endless = `Traceback (most recent call last):\n${frame.repeat(100_000)}RecursionError: too deep`;
    assert.equal(readTraceback(endless)?.frames.length, 200);
    assert.equal(readTraceback(endless)?.exception, 'RecursionError: too deep');
  });

  it('with installed code only has no user frame', () => {
    const text =
      'Traceback (most recent call last):\n  File "/x/site-packages/a.py", line 1, in f\n    f()\nOSError: x';
    assert.equal(readTraceback(text)?.user_frame, null);
  });
});
