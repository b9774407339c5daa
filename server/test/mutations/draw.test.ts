import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { differenceOf, drawMutants } from './draw.ts';
import { KINDS, kinds, targetsOf } from './kinds.ts';
import { parse } from './syntax.ts';

const repository = join(import.meta.dirname, '../../..');

test('the same seed draws the same changes, and a larger count adds to them', () => {
  const few = drawMutants(repository, 7, 10);
  const more = drawMutants(repository, 7, 25);
  assert.deepEqual(more.slice(0, 10), few);
  assert.deepEqual(
    few.map(({ kind }) => kind),
    KINDS,
  );
  assert.notDeepEqual(drawMutants(repository, 8, 10), few);
});

test('a change keeps its number when only its kind is drawn', () => {
  const all = drawMutants(repository, 7, 20).filter(({ kind }) => kind === 'migration');
  assert.deepEqual(drawMutants(repository, 7, 2, ['migration']), all);
});

test('changed files are still TypeScript, and differ', () => {
  for (const { source, mutated, number } of drawMutants(repository, 3, 20)) {
    assert.doesNotThrow(() => parse(mutated), `change ${number}`);
    assert.notEqual(mutated, source);
  }
});

test('every pattern of every kind names files, and no kind has test files', () => {
  for (const kind of KINDS) {
    for (const { files } of kinds[kind]) {
      for (const pattern of files) {
        assert.ok(globSync(pattern, { cwd: join(repository, 'server/src') }).length > 0, `${kind}: ${pattern}`);
      }
    }
    assert.ok(targetsOf(kind, repository).every(({ file }) => !file.includes('.test.')));
  }
});

test('a difference shows the changed line with what was removed and added', () => {
  const source = 'one();\n  if (a < b) two();\nthree();\n';
  const start = source.indexOf('<');
  assert.equal(differenceOf(source, { start, end: start + 1, text: '<=' }), 'if (a [-<-]{+<=+} b) two();');
});
