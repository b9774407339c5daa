import assert from 'node:assert/strict';
import { test } from 'node:test';
import { intervalsOf } from './history.ts';

const state = (state_type: string, state_name: string, count_runs: number) => ({ state_type, state_name, count_runs });

test('runs of one state are one bar whatever their states are called, and late runs have their own', () => {
  const states = [
    state('SCHEDULED', 'Scheduled', 2),
    state('SCHEDULED', 'AwaitingRetry', 3),
    state('SCHEDULED', 'Late', 4),
    state('FAILED', 'Rejected', 1),
  ];
  const start = '2026-11-22T12:00:00Z';
  assert.deepEqual(intervalsOf([{ interval_start: start, states }]), [
    { start, counts: { SCHEDULED: 5, LATE: 4, FAILED: 1 } },
  ]);
});

test('a history that the server has not counted is empty', () => {
  assert.deepEqual([intervalsOf(null), intervalsOf(undefined), intervalsOf([])], [[], [], []]);
});
