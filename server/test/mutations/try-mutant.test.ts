import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ending } from './test-run.ts';
import { batchesOf, Experience, filesNaming, tryMutant } from './try-mutant.ts';

const files = Array.from({ length: 100 }, (_, index) => `${index}.test.ts`);
const passed: Ending = { kind: 'passed', seconds: 1 };
const failed: Ending = { kind: 'failed', test: 'the door of number 3 is shut', process: [] };

/** A trial in which `answer` says how each run ends, and which notes the runs. */
function trialOf(answer: (files: readonly string[], isChanged: boolean, run: number) => Ending) {
  const runs: { files: readonly string[]; isChanged: boolean }[] = [];
  return {
    runs,
    isNearOnly: false,
    async run(given: readonly string[], isChanged: boolean) {
      runs.push({ files: given, isChanged });
      return answer(given, isChanged, runs.length);
    },
    textOf: (file: string) => `test('the door of number ${parseInt(file, 10)} is shut', () => {});`,
  };
}

test('a test that fails twice with the change and passes without it has found it', async () => {
  const trial = trialOf((given, isChanged) => (isChanged && given.includes('3.test.ts') ? failed : passed));
  const verdict = await tryMutant(files, trial, new Experience());
  assert.equal(verdict.foundBy, '3.test.ts: the door of number 3 is shut');
  assert.deepEqual(
    trial.runs.map((run) => [run.files.length, run.isChanged]),
    [
      [6, true],
      [1, true],
      [1, false],
    ],
  );
});

test('a test that passes in its second try has found nothing, and the others of its batch still run', async () => {
  const trial = trialOf((_given, _isChanged, run) => (run === 1 ? failed : passed));
  const verdict = await tryMutant(files, trial, new Experience());
  assert.deepEqual(verdict, { foundBy: undefined, flaky: ['3.test.ts'], files: 99 });
  assert.deepEqual(
    trial.runs.map((run) => run.files.length),
    [6, 1, 5, 20, 60, 14],
  );
});

test('a file that fails without the change is not used again', async () => {
  const trial = trialOf((given) => (given.includes('3.test.ts') ? failed : passed));
  const known = new Experience();
  assert.equal((await tryMutant(files, trial, known)).foundBy, undefined);
  assert.deepEqual([...known.broken], ['3.test.ts']);
});

test('a run that does not end has found the change when it ends without it', async () => {
  const trial = trialOf((_given, isChanged) => (isChanged ? { kind: 'late' } : passed));
  assert.equal((await tryMutant(files, trial, new Experience())).foundBy, 'the time limit');
});

test('a run that is as slow without the change gets more time', async () => {
  const trial = trialOf((_given, isChanged, run) => {
    if (run === 1) return { kind: 'late' };
    return isChanged ? passed : { kind: 'passed', seconds: 200 };
  });
  assert.equal((await tryMutant(files, trial, new Experience())).foundBy, undefined);
});

test('only the first batches are near', () => {
  assert.deepEqual(
    batchesOf(files, true).map(({ length }) => length),
    [6, 20],
  );
  assert.deepEqual(batchesOf(files, false).flat(), files);
});

test('a file is recognised by the name of its test, also where a part of it is inserted, or by its path', () => {
  const texts: Record<string, string> = {
    'a.test.ts': "test('a run (late) starts', () => {});",
    'b.test.ts': ['test(`variables on $', '{database}`, () => {});'].join(''),
    'c.test.ts': 'test(name, () => {});',
  };
  const named = (name: string) => filesNaming(name, Object.keys(texts), (file) => texts[file]!);
  assert.deepEqual(named('a run (late) starts'), ['a.test.ts']);
  assert.deepEqual(named('variables on postgres'), ['b.test.ts']);
  assert.deepEqual(named('/checkout/c.test.ts'), ['c.test.ts']);
  assert.deepEqual(named('something else'), Object.keys(texts));
});
