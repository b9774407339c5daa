import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { flowRun, home, reason } from '../../test/factories.ts';
import { byReason, isEmpty, verdictOf } from './summary.ts';

const running = (count: number) => ({ state_type: 'RUNNING', state_name: 'Running', count }) as const;

test('one sentence says how the workspace is', () => {
  assert.equal(verdictOf(home()), 'All is well');
  assert.equal(verdictOf(home({ now: [running(1)] })), 'All is well, 1 run in progress');
  assert.equal(
    verdictOf(home({ now: [running(1200), { ...running(3), state_name: 'Retrying' }] })),
    'All is well, 1,203 runs in progress',
  );
  assert.equal(verdictOf(home({ failed: 1, now: [running(2)] })), '1 run failed');
  assert.equal(verdictOf(home({ failed: 5000, failed_counted_since: '2026-01-01T00:00:00Z' })), '5,000+ runs failed');
  assert.equal(verdictOf(home({ failed: 2, stuck_count: 1 })), '2 runs failed, 1 run waits too long');
  assert.equal(verdictOf(home({ stuck_count: 10_000 })), '10,000 runs wait too long');
});

test('a workspace is empty until there is a flow, a deployment or a run', () => {
  assert.equal(isEmpty(home({ flows: 0, deployments: 0 })), true);
  assert.equal(isEmpty(home({ flows: 1, deployments: 0 })), false);
  assert.equal(isEmpty(home({ flows: 0, deployments: 1 })), false);
  assert.equal(isEmpty(home({ flows: 0, deployments: 0, now: [running(1)] })), false);
});

describe('runs that wait', () => {
  const [first, second, third, fourth] = [flowRun(), flowRun(), flowRun(), flowRun()];
  const [noWorker, full] = [reason(), reason({ code: 'work_pool_full', message: 'The work pool "big" is full.' })];

  test('stand together below what they wait for, in their order', () => {
    const stuck = [
      { run: first, reasons: [noWorker] },
      { run: second, reasons: [full] },
      { run: third, reasons: [noWorker] },
    ];
    assert.deepEqual(byReason(stuck), [
      { reason: noWorker, runs: [first, third] },
      { reason: full, runs: [second] },
    ]);
  });

  test('stand below the reason that blocks them, and only else below the first', () => {
    const hint = reason({ message: 'A worker was seen yesterday.', blocks: false });
    assert.equal(byReason([{ run: first, reasons: [hint, full] }])[0]?.reason, full);
    assert.equal(byReason([{ run: first, reasons: [hint] }])[0]?.reason, hint);
  });

  test('without a known reason stand together', () => {
    const stuck = [
      { run: first, reasons: [] },
      { run: fourth, reasons: [] },
    ];
    assert.deepEqual(byReason(stuck), [{ reason: undefined, runs: [first, fourth] }]);
    assert.deepEqual(byReason([]), []);
  });
});
