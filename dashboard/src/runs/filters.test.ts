import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runFilters, taskFilters } from './filters.ts';

const id = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const span = '2026-11-01T00:00:00Z/2026-11-02T00:00:00Z';
const times = { after_: '2026-11-01T00:00:00Z', before_: '2026-11-02T00:00:00Z' };

describe('the filters of a list of runs', () => {
  test('are its time alone when nothing else is chosen', () => {
    assert.deepEqual(runFilters({ span }), { flow_runs: { start_time: times } });
    assert.deepEqual(taskFilters({ span }), { task_runs: { expected_start_time: times } });
  });

  test('of states are any of them, and late is a name', () => {
    const stateOf = (state: string) => (runFilters({ span, state }).flow_runs as { state?: object }).state;
    assert.deepEqual(stateOf('FAILED,CRASHED'), { operator: 'or_', type: { any_: ['FAILED', 'CRASHED'] } });
    assert.deepEqual(stateOf('LATE'), { operator: 'or_', name: { any_: ['Late'] } });
    assert.deepEqual(stateOf('LATE,RUNNING'), {
      operator: 'or_',
      type: { any_: ['RUNNING'] },
      name: { any_: ['Late'] },
    });
  });

  test('of tags are all of them, and of a name a part of it', () => {
    assert.deepEqual(runFilters({ span, tag: 'prod,eu', name: '  fox ' }).flow_runs, {
      start_time: times,
      tags: { all_: ['prod', 'eu'] },
      name: { like_: 'fox' },
    });
  });

  test('find a run by its id whenever it ran', () => {
    assert.deepEqual(runFilters({ span, state: 'FAILED', name: ` ${id.toUpperCase()} ` }).flow_runs, {
      id: { any_: [id.toUpperCase()] },
    });
    assert.deepEqual(taskFilters({ span, name: id }).task_runs, { id: { any_: [id] } });
    assert.deepEqual(runFilters({ span, name: id.slice(1) }).flow_runs, {
      start_time: times,
      name: { like_: id.slice(1) },
    });
  });

  test('of a flow and a deployment are their names, for task runs too', () => {
    const { flow_runs: _, ...others } = runFilters({ span, flow: 'report', deployment: 'nightly' });
    assert.deepEqual(others, { flows: { name: { any_: ['report'] } }, deployments: { name: { any_: ['nightly'] } } });
    const { task_runs: __, ...same } = taskFilters({ span, flow: 'report', deployment: 'nightly' });
    assert.deepEqual(same, others);
  });

  test('ask for the same time again within ten seconds', () => {
    const now = runFilters({ span: '1h' }).flow_runs as { start_time: { before_: string } };
    assert.equal(Date.parse(now.start_time.before_) % 10_000, 0);
  });
});
