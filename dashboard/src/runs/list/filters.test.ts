import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runFilters, taskFilters } from './filters.ts';

const id = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const span = '2026-11-01T00:00:00.000Z/2026-11-02T00:00:00.000Z';
const times = { after_: '2026-11-01T00:00:00.000Z', before_: '2026-11-02T00:00:00.000Z' };

describe('the filters of a list of runs', () => {
  test('are its time when nothing else is chosen, and subflows are hidden', () => {
    const where = [{ field: 'subflow', values: ['no'] }];
    assert.deepEqual(runFilters({ span }), { where, flow_runs: { start_time: times } });
    assert.deepEqual(taskFilters({ span }), { where: [], task_runs: { expected_start_time: times } });
  });

  test('are the conditions of the address, in any case, and subflows are shown', () => {
    const { where } = runFilters({ span, state: 'FAILED,Late,timedout', tag: 'prod,!eu', duration: '>5m' });
    assert.deepEqual(where, [
      { field: 'state', values: ['failed', 'late', 'TimedOut'] },
      { field: 'tag', values: ['prod'] },
      { field: 'tag', not: true, values: ['eu'] },
      { field: 'duration', values: ['>300'] },
    ]);
    assert.deepEqual(runFilters({ span, subflow: 'any' }).where, []);
  });

  test('find a run by its id whenever it ran', () => {
    const found = runFilters({ span, state: 'FAILED', name: ` ${id.toUpperCase()} ` });
    assert.deepEqual(found, { where: [], flow_runs: { id: { any_: [id.toUpperCase()] } } });
    assert.deepEqual(taskFilters({ span, name: id }).task_runs, { id: { any_: [id] } });
    assert.deepEqual(runFilters({ span, name: id.slice(1) }), {
      where: [{ field: 'name', values: [id.slice(1)] }],
      flow_runs: { start_time: times },
    });
  });

  test('of task runs are those that task runs have', () => {
    const { where } = taskFilters({ span, flow: 'report', work_pool: 'gpu', task: 'load' });
    assert.deepEqual(where, [
      { field: 'flow', values: ['report'] },
      { field: 'task', values: ['load'] },
    ]);
  });

  test('ask for the same time again within ten seconds', () => {
    const now = runFilters({ span: '1h' }).flow_runs as { start_time: { before_: string } };
    assert.equal(Date.parse(now.start_time.before_) % 10_000, 0);
  });
});
