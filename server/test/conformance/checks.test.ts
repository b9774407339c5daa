import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../../..');
const script = readFileSync(join(root, '.ci/run'), 'utf8');
const workflow = readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8');

/** The suites that a function of `.ci/run` starts. */
function suitesOf(run: string): string[] {
  const [, body = ''] = new RegExp(`^${run}\\(\\) \\{\\n([^]*?)^\\}`, 'm').exec(script) ?? [];
  return [...body.matchAll(/^ {2}(?:suite|begin) (\S+)/gm)].map(([, name = '']) => name).sort();
}

/** The lists of the workflow, in the order in which they stand there: push, night, merge. */
const jobs = [...workflow.matchAll(/suites='(\[.*\])'/g)].map(([, list = '']) => (JSON.parse(list) as string[]).sort());

test('the workflow runs the suites of the quick run before a merge, and all at night', () => {
  const [push = [], night, merge] = jobs;
  assert.deepEqual(merge, suitesOf('quick_run'));
  assert.deepEqual(night, suitesOf('full_run'));
  assert.ok(push.length > 0 && push.every((suite) => merge?.includes(suite)));
});

test('the full run has each suite of the quick run', () => {
  const full = suitesOf('full_run');
  assert.deepEqual(
    suitesOf('quick_run').filter((suite) => !full.includes(suite)),
    [],
  );
});
