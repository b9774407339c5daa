import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { attempt, guarded, inBackground, logFaults, watchBackground } from './background.ts';

function log(): { readonly lines: { work: string; message: string }[]; end(): void } {
  const lines: { work: string; message: string }[] = [];
  const end = logFaults({
    error: ({ work, err }: { work: string; err: Error }) => lines.push({ work, message: err.message }),
  } as unknown as Parameters<typeof logFaults>[0]);
  return { lines, end };
}

const fails = {
  throws: () => {
    throw new Error('planted');
  },
  rejects: () => Promise.reject(new Error('planted')),
};

describe('work in the background', () => {
  for (const [how, work] of Object.entries(fails)) {
    test(`that ${how} ends what it was for, with a line in the log`, async () => {
      const { lines, end } = log();
      const ended: unknown[] = [];
      inBackground('one', work, (error) => ended.push(error));
      guarded('two', work, (error) => ended.push(error))();
      await attempt('three', work, (error) => ended.push(error));
      end();
      assert.equal(ended.length, 3);
      assert.deepEqual(lines.map(({ work: name, message }) => `${name}: ${message}`).sort(), [
        'one: planted',
        'three: planted',
        'two: planted',
      ]);
    });
  }

  test('whose end fails too is logged twice, and nothing is thrown', () => {
    const { lines, end } = log();
    inBackground('work', fails.throws, fails.throws);
    end();
    assert.deepEqual(
      lines.map(({ work }) => work),
      ['work', 'the end of work'],
    );
  });

  test('fails with what a watcher throws, until the watcher leaves', () => {
    const { lines, end } = log();
    const done: number[] = [];
    const unwatch = watchBackground((what) => {
      if (what === 'work') throw new Error('watched');
    });
    inBackground('work', () => done.push(1));
    inBackground('other work', () => done.push(2));
    unwatch();
    inBackground('work', () => done.push(3));
    end();
    assert.deepEqual(done, [2, 3]);
    assert.deepEqual(lines, [{ work: 'work', message: 'watched' }]);
  });
});
