import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type TaskRun, taskRun, timeline } from '../../../test/factories.ts';
import { idleTimes } from './idle-time.ts';
import { CLOSED, rangeOf, rowsOf } from './timeline-layout.ts';

const minute = 60_000;
const state = (at: number, type: 'RUNNING' | 'SCHEDULED' | 'COMPLETED' | 'PAUSED', name: string = type) => ({
  at,
  type,
  name,
});

function idleOf(tasks: readonly TaskRun[], states: readonly ReturnType<typeof state>[] = []) {
  const view = timeline(tasks, { states: [...states] });
  return idleTimes(rowsOf(view, CLOSED), rangeOf(view)).map(({ from, to }) => [from, to]);
}

describe('the idle time of a run', () => {
  test('is the time between the tries of the run, while no task runs', () => {
    const tasks = [taskRun({ end: minute }), taskRun({ start: 20 * minute, end: 21 * minute })];
    assert.deepEqual(
      idleOf(tasks, [
        state(0, 'RUNNING'),
        state(2 * minute, 'SCHEDULED', 'AwaitingRetry'),
        state(19 * minute, 'RUNNING', 'Retrying'),
        state(21 * minute, 'COMPLETED'),
      ]),
      [[2 * minute, 19 * minute]],
    );
  });

  test('is also the wait of a task for its next try', () => {
    const states = [
      state(0, 'RUNNING'),
      state(minute, 'SCHEDULED', 'AwaitingRetry'),
      state(11 * minute, 'RUNNING', 'Retrying'),
      state(12 * minute, 'COMPLETED'),
    ];
    const own = [state(0, 'RUNNING'), state(12 * minute, 'COMPLETED')];
    const tried = taskRun({ end: 12 * minute, run_count: 2, states });
    assert.deepEqual(idleOf([tried], own), [[minute, 11 * minute]]);
    assert.deepEqual(idleOf([tried, taskRun({ end: 12 * minute })], own), [], 'another task runs');
  });

  test('is not the time in which the flow itself runs', () => {
    const own = [state(0, 'RUNNING'), state(30 * minute, 'COMPLETED')];
    assert.deepEqual(idleOf([taskRun({ end: minute })], own), []);
  });

  test('is not a short stretch, in seconds or in share', () => {
    const pair = (gap: number, end: number) => [
      taskRun({ end: 1000 }),
      taskRun({ start: 1000 + gap, end: 1000 + gap + end }),
    ];
    assert.deepEqual(idleOf(pair(9000, 1000)), []);
    assert.deepEqual(idleOf(pair(minute, 60 * minute)), []);
    assert.deepEqual(idleOf(pair(minute, minute)), [[1000, 1000 + minute]]);
  });

  test('is not the wait before the start', () => {
    const own = [state(-minute, 'SCHEDULED'), state(0, 'RUNNING'), state(minute, 'COMPLETED')];
    assert.deepEqual(idleOf([taskRun({ end: minute })], own), []);
  });

  test('ends where an unfinished task began', () => {
    assert.deepEqual(idleOf([taskRun({ end: 1000 }), taskRun({ start: 5 * minute, end: null })]).at(-1), [
      1000,
      5 * minute,
    ]);
  });
});
