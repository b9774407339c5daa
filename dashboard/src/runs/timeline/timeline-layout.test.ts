import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NOW, taskRun, timeline } from '../../../test/factories.ts';
import { CLOSED, linksOf, rangeOf, rowsOf, type Shown, type TimelineRow } from './timeline-layout.ts';

const opened = (...keys: string[]): Shown => ({ ...CLOSED, opened: new Set(keys) });
const names = (rows: readonly TimelineRow[]) => rows.map(({ name }) => name);
const numbered = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) =>
    taskRun({ name: `${name}-${index}`, expected: index, start: index, end: index + 10 }),
  );

describe('the rows of a timeline', () => {
  test('a run without task runs and without states has no row', () => {
    assert.deepEqual(rowsOf(timeline(), CLOSED), []);
  });

  test('three task runs that overlap stand in three rows, each with a bar of its own time', () => {
    const tasks = [
      taskRun({ name: 'extract', start: 0, end: 3000 }),
      taskRun({ name: 'check', start: 1000, end: 2000 }),
      taskRun({ name: 'load', start: 1500, end: null, state_type: 'RUNNING', state_name: 'Running' }),
    ];
    const bars = rowsOf(timeline(tasks), CLOSED).map(({ name, segments }) => [
      name,
      ...segments.filter(({ isWait }) => !isWait).map(({ from, to, kind }) => `${from} to ${to} ${kind}`),
    ]);
    assert.deepEqual(bars, [
      ['extract', '0 to 3000 COMPLETED'],
      ['check', '1000 to 2000 COMPLETED'],
      ['load', '1500 to null RUNNING'],
    ]);
  });

  test('a task run that started late waits before its bar', () => {
    const [row] = rowsOf(timeline([taskRun({ expected: 100, start: 400, end: 900 })]), CLOSED);
    assert.deepEqual(row?.segments, [
      { from: 100, to: 400, kind: 'PENDING', isWait: true },
      { from: 400, to: 900, kind: 'COMPLETED', isWait: false },
    ]);
  });

  test('a task run that is late and has not started only waits', () => {
    const late = taskRun({ state_type: 'SCHEDULED', state_name: 'Late', expected: 100, start: null, end: null });
    const [row] = rowsOf(timeline([late]), CLOSED);
    assert.deepEqual(row?.segments, [{ from: 100, to: null, kind: 'LATE', isWait: true }]);
  });

  test('a task run without any time has a row and no bar', () => {
    const [row] = rowsOf(timeline([taskRun({ expected: null, start: null, end: null, state_type: null })]), CLOSED);
    assert.equal(row?.kind, 'PENDING');
    assert.deepEqual(row?.segments, []);
  });

  test('a task run that was tried twice shows the first try as failed', () => {
    const states = [
      { at: 0, type: 'RUNNING', name: 'Running' },
      { at: 10, type: 'SCHEDULED', name: 'AwaitingRetry' },
      { at: 30, type: 'RUNNING', name: 'Retrying' },
      { at: 50, type: 'COMPLETED', name: 'Completed' },
    ] as const;
    const [row] = rowsOf(timeline([taskRun({ run_count: 2, states })]), CLOSED);
    assert.deepEqual(
      row?.segments.map(({ from, to, kind, isWait }) => [from, to, kind, isWait]),
      [
        [0, 10, 'FAILED', false],
        [10, 30, 'SCHEDULED', true],
        [30, 50, 'COMPLETED', false],
      ],
    );
    assert.equal(row?.tries, 2);
  });

  test('the run itself stands above its tasks, with the waits and tries of its states', () => {
    const view = timeline([taskRun({ name: 'load' })], {
      states: [
        { at: -500, type: 'SCHEDULED', name: 'Scheduled' },
        { at: -20, type: 'PENDING', name: 'Pending' },
        { at: 0, type: 'RUNNING', name: 'Running' },
      ],
    });
    const [own, task] = rowsOf(view, CLOSED);
    assert.deepEqual([own?.name, own?.role, own?.start, own?.end], ['This run', 'run', 0, null]);
    assert.deepEqual(
      own?.segments.map(({ from, to, isWait }) => [from, to, isWait]),
      [
        [-500, -20, true],
        [-20, 0, true],
        [0, null, false],
      ],
    );
    assert.equal(task?.name, 'load');
  });

  test('a run that has ended has no bar that still grows', () => {
    const states = [
      { at: 0, type: 'RUNNING', name: 'Running' },
      { at: 40, type: 'CRASHED', name: 'Crashed' },
    ] as const;
    const [own] = rowsOf(timeline([], { states: [...states] }), CLOSED);
    assert.equal(own?.end, 40);
    assert.deepEqual(own?.segments, [{ from: 0, to: 40, kind: 'CRASHED', isWait: false }]);
  });
});

describe('tasks of one name', () => {
  test('five stand in a row each, six stand in one row that can be opened', () => {
    assert.equal(rowsOf(timeline(numbered(5, 'extract')), CLOSED).length, 5);
    const six = numbered(6, 'extract');
    const [fold, ...others] = rowsOf(timeline(six), CLOSED);
    assert.deepEqual(others, []);
    assert.deepEqual([fold?.name, fold?.role, fold?.segments.length], ['extract', 'fold', 6]);
    assert.deepEqual(
      fold?.folded,
      six.map(({ id }) => id),
    );
    assert.equal(rowsOf(timeline(six), opened(fold?.key ?? '')).length, 6);
  });

  test('one that failed or crashed stands beside the row of the others', () => {
    const tasks = numbered(8, 'extract');
    const failed = taskRun({ name: 'extract-8', state_type: 'FAILED', state_name: 'Failed' });
    const crashed = taskRun({ name: 'extract-9', state_type: 'CRASHED', state_name: 'Crashed' });
    const rows = rowsOf(timeline([...tasks, failed, crashed]), CLOSED);
    assert.deepEqual(names(rows), ['extract', 'extract-8', 'extract-9']);
    assert.equal(rows[0]?.folded.length, 8);
  });

  test('the one that is chosen stands beside the row of the others', () => {
    const tasks = numbered(8, 'extract');
    const rows = rowsOf(timeline(tasks), { ...CLOSED, chosen: tasks[3]?.id });
    assert.deepEqual(names(rows), ['extract', 'extract-3']);
    assert.equal(rows[0]?.folded.length, 7);
  });

  test('numbers and marks of clients belong to no name, and other endings do', () => {
    const marks = ['0', '17', '3f2', 'abcdef01', 'a', '9'];
    const folded = rowsOf(timeline(marks.map((mark) => taskRun({ name: `load-${mark}` }))), CLOSED);
    assert.deepEqual(names(folded), ['load']);
    const words = ['north', 'south', 'east', 'west', 'up', 'down'];
    assert.equal(rowsOf(timeline(words.map((word) => taskRun({ name: `load-${word}` }))), CLOSED).length, 6);
  });

  test('ten thousand of one name are one row, and opened they are ten thousand', () => {
    const view = timeline(numbered(10_000, 'extract'));
    const [fold, ...others] = rowsOf(view, CLOSED);
    assert.equal(others.length, 0);
    assert.equal(fold?.folded.length, 10_000);
    assert.equal(fold?.segments.length, 10_000);
    assert.equal(rowsOf(view, opened(fold?.key ?? '')).length, 10_000);
  });

  test('ten thousand of many names stand in their order', () => {
    const tasks = Array.from({ length: 10_000 }, (_, index) => taskRun({ name: `task ${index} of many` }));
    const rows = rowsOf(timeline(tasks), CLOSED);
    assert.equal(rows.length, 10_000);
    assert.deepEqual([rows[0]?.name, rows.at(-1)?.name], ['task 0 of many', 'task 9999 of many']);
  });
});

describe('the errors of a timeline', () => {
  const retried = [
    { at: 0, type: 'RUNNING', name: 'Running' },
    { at: 10, type: 'RUNNING', name: 'Retrying' },
    { at: 20, type: 'COMPLETED', name: 'Completed' },
  ] as const;
  const error = (task: number, number: number, message: string) => ({ task, try: number, message });

  test('stand below their task, once for tries that failed alike', () => {
    const tasks = [taskRun({ name: 'load', run_count: 3, state_type: 'FAILED' }), taskRun({ name: 'after' })];
    const errors = [error(0, 1, 'KeyError: a'), error(0, 2, 'KeyError: a'), error(0, 3, 'ValueError')];
    const rows = rowsOf(timeline(tasks, { errors }), CLOSED);
    assert.deepEqual(names(rows), ['load', 'Tries 1 to 2: KeyError: a', 'Try 3: ValueError', 'after']);
    assert.deepEqual(
      rows.map(({ role, id }) => [role, id === tasks[0]?.id]),
      [
        ['task', true],
        ['error', true],
        ['error', true],
        ['task', false],
      ],
    );
  });

  test('name no try of a task that ran once', () => {
    const failed = taskRun({ name: 'load', state_type: 'FAILED' });
    assert.deepEqual(names(rowsOf(timeline([failed], { errors: [error(0, 1, 'KeyError: a')] }), CLOSED)), [
      'load',
      'KeyError: a',
    ]);
  });

  test('are all that is left with their tasks when a person asks for errors only', () => {
    const steady = numbered(8, 'extract').map((task) => ({ ...task, run_count: 2, states: retried }));
    const failed = taskRun({ name: 'load', state_type: 'CRASHED' });
    const view = timeline([...numbered(3, 'check'), ...steady, failed], { errors: [error(11, 1, 'gone')] });
    const rows = rowsOf(view, { ...CLOSED, errorsOnly: true });
    assert.deepEqual(names(rows), [...steady.map(({ name }) => name), 'load', 'gone']);
    assert.deepEqual(
      rows[0]?.segments.map(({ kind }) => kind),
      ['FAILED', 'COMPLETED'],
    );
    assert.deepEqual(rowsOf(timeline(numbered(3, 'check')), { ...CLOSED, errorsOnly: true }), []);
  });

  test('are not what a line between results leads to', () => {
    const tasks = [taskRun({ id: 'a', name: 'a', state_type: 'FAILED' }), taskRun({ id: 'b', name: 'b' })];
    const rows = rowsOf(timeline(tasks, { errors: [error(0, 1, 'x')] }), CLOSED);
    assert.deepEqual(linksOf(rows, 'b', { givers: ['a'], takers: [] }), [{ from: 0, to: 2 }]);
  });
});

describe('a subflow', () => {
  const inner = timeline([taskRun({ name: 'inner', start: 0, end: 500 })], { origin: '2026-11-22T12:00:02.000Z' });
  const subflow = taskRun({ name: 'clean', kind: 'flow-run', start: 2000, end: 3000 });

  test('has its tasks below it once it is open, at their time in the outer run', () => {
    const view = timeline([subflow, taskRun({ name: 'after' })]);
    assert.deepEqual(names(rowsOf(view, CLOSED)), ['clean', 'after']);
    const shown = { ...opened(subflow.id), subflows: new Map([[subflow.id, inner]]) };
    const rows = rowsOf(view, shown);
    assert.deepEqual(names(rows), ['clean', 'inner', 'after']);
    assert.deepEqual(
      rows.map(({ role, depth, start }) => [role, depth, start]),
      [
        ['subflow', 0, 2000],
        ['task', 1, 2000],
        ['task', 0, 0],
      ],
    );
  });

  test('that is open and not read yet has only its own row', () => {
    assert.deepEqual(names(rowsOf(timeline([subflow]), opened(subflow.id))), ['clean']);
  });

  test('keeps its folds apart from those of the outer run', () => {
    const many = timeline(numbered(6, 'extract'));
    const view = timeline([subflow, ...numbered(6, 'extract')]);
    const shown = { ...opened(subflow.id), subflows: new Map([[subflow.id, many]]) };
    const folds = rowsOf(view, shown).filter(({ role }) => role === 'fold');
    assert.equal(new Set(folds.map(({ key }) => key)).size, 2);
  });
});

describe('the time that a timeline shows', () => {
  const minute = 60_000;
  const later = (milliseconds: number) => new Date(Date.parse(NOW) + milliseconds).toISOString();

  test('ends with the last task of a run that has ended', () => {
    const view = timeline([taskRun({ end: 3000 }), taskRun({ end: 7000 })], { as_of: later(minute) });
    assert.deepEqual(rangeOf(view), { from: 0, to: 7000 });
  });

  test('ends now while a task runs', () => {
    const view = timeline([taskRun({ end: 3000 }), taskRun({ end: null })], { as_of: later(minute) });
    assert.deepEqual(rangeOf(view), { from: 0, to: minute });
  });

  test('ends now while the run itself goes on', () => {
    const view = timeline([], { as_of: later(minute), states: [{ at: 0, type: 'RUNNING', name: 'Running' }] });
    assert.equal(rangeOf(view).to, minute);
  });

  test('does not end before its tasks where the clock of a worker is ahead', () => {
    const view = timeline([taskRun({ start: 2 * minute, end: null })], { as_of: later(minute) });
    assert.equal(rangeOf(view).to, 2 * minute);
  });

  test('begins with a short wait, and cuts a wait of days', () => {
    const view = (at: number) =>
      timeline([taskRun({ end: 10_000 })], {
        states: [
          { at, type: 'SCHEDULED', name: 'Scheduled' },
          { at: 10_000, type: 'COMPLETED', name: 'Completed' },
        ],
      });
    assert.equal(rangeOf(view(-900)).from, -900);
    assert.equal(rangeOf(view(-5 * 86_400_000)).from, -1500);
  });

  test('is never empty', () => {
    assert.deepEqual(rangeOf(timeline()), { from: 0, to: 1 });
  });
});

describe('the lines from and to the chosen task run', () => {
  const rows = rowsOf(
    timeline([taskRun({ id: 'a', name: 'a' }), taskRun({ id: 'b', name: 'b' }), taskRun({ id: 'c', name: 'c' })]),
    CLOSED,
  );

  test('lead from the runs whose results it takes, and to those that take its own', () => {
    assert.deepEqual(linksOf(rows, 'b', { givers: ['a'], takers: ['c'] }), [
      { from: 0, to: 1 },
      { from: 1, to: 2 },
    ]);
  });

  test('do not exist while nothing is chosen, or while its neighbours are not known', () => {
    assert.deepEqual(linksOf(rows, undefined, { givers: ['a'], takers: [] }), []);
    assert.deepEqual(linksOf(rows, 'b', undefined), []);
    assert.deepEqual(linksOf(rows, 'elsewhere', { givers: ['a'], takers: [] }), []);
  });

  test('are one line for all neighbours in a fold, and none for those that are not shown', () => {
    const tasks = numbered(6, 'extract');
    const last = taskRun({ name: 'load' });
    const folded = rowsOf(timeline([...tasks, last]), CLOSED);
    const givers = [...tasks.map(({ id }) => id), 'elsewhere'];
    assert.deepEqual(linksOf(folded, last.id, { givers, takers: [] }), [{ from: 0, to: 1 }]);
  });
});
