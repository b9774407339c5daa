import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { flowRun, runsPage } from '../../../../test/factories.ts';
import { merged, type Pages } from './fresh-pages.ts';

type Run = ReturnType<typeof flowRun>;

const pagesOf = (...runs: readonly Run[][]): Pages => ({
  pages: runs.map((some) => runsPage(some)),
  pageParams: runs.map(() => null),
});
const ids = ({ pages }: Pages) => pages.map(({ runs }) => runs.map(({ id }) => id));
const fresh = (first: readonly Run[], again: readonly Run[] = [], asked = again.map(({ id }) => id)) => ({
  first: runsPage(first, { count: 99 }),
  asked: new Set(asked),
  rows: new Map(again.map((run) => [run.id, run])),
});
const run = (id: string, given: Partial<Run> = {}) => flowRun({ id, ...given });

describe('a list of runs that is read again in parts', () => {
  test('shows new runs above the old ones, each once', () => {
    const old = pagesOf([run('c'), run('b')], [run('a')]);
    assert.deepEqual(ids(merged(old, fresh([run('d'), run('c')]))), [['d', 'c', 'b'], ['a']]);
  });

  test('shows a run that has changed at its place, as it is now', () => {
    const old = pagesOf([run('c')], [run('b'), run('a')]);
    const changed = run('a', { state_type: 'FAILED' });
    const { pages } = merged(old, fresh([run('c')], [changed]));
    assert.equal(pages[1]?.runs[1]?.state_type, 'FAILED');
  });

  test('loses a run that no longer matches the filters', () => {
    const old = pagesOf([run('c')], [run('b'), run('a')]);
    assert.deepEqual(ids(merged(old, fresh([run('c')], [], ['a']))), [['c'], ['b']]);
  });

  test('has a run that has come up into the first page only there', () => {
    const old = pagesOf([run('c')], [run('b')], [run('a')]);
    assert.deepEqual(ids(merged(old, fresh([run('a'), run('c')]))), [['a', 'c'], ['b'], []]);
  });

  test('keeps the pages that nothing has changed, and takes the count of the first', () => {
    const old = pagesOf([run('c')], [run('b')], [run('a')]);
    const { pages } = merged(old, fresh([run('c')], [run('a')]));
    assert.equal(pages[1], old.pages[1]);
    assert.notEqual(pages[2], old.pages[2]);
    assert.equal(pages[0]?.count, 99);
  });

  test('loses none of ten thousand', () => {
    const runs = Array.from({ length: 100 }, (_, page) =>
      Array.from({ length: 100 }, (__, row) => run(`${page} ${row}`)),
    );
    const after = merged(pagesOf(...runs), fresh([run('new'), run('99 99')], [run('50 50')]));
    const shown = ids(after).flat();
    assert.deepEqual([shown.length, new Set(shown).size, shown[0]], [10_001, 10_001, 'new']);
  });
});
