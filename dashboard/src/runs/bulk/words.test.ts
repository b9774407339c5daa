import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workOutcome, workTitle } from './words.ts';
import type { BulkWork } from './work.ts';

const work = (part: Partial<BulkWork>): BulkWork => ({
  id: '0',
  created: '2026-03-01T10:00:00Z',
  updated: '2026-03-01T10:00:00Z',
  starts_at: '2026-03-01T10:00:06Z',
  action: 'retry',
  state_type: null,
  state_name: null,
  status: 'COMPLETED',
  ended: '2026-03-01T10:00:09Z',
  total: 0,
  done: 0,
  skipped: 0,
  failed: 0,
  failures: [],
  problem: null,
  created_by: null,
  ...part,
});

test('a work is called by what it does and to how many runs', () => {
  assert.equal(workTitle(work({ total: 1 })), 'Retry of 1 run');
  assert.equal(workTitle(work({ action: 'delete', total: 2140 })), 'Deletion of 2,140 runs');
  assert.equal(
    workTitle(work({ action: 'set_state', state_type: 'FAILED', total: 2 })),
    'State change of 2 runs to Failed',
  );
});

test('the outcome counts what was done, left and refused', () => {
  assert.equal(workOutcome(work({ total: 26, done: 26 })), '26 runs retried');
  const mixed = { action: 'cancel', total: 9, done: 1, skipped: 6, failed: 2 } as const;
  assert.equal(workOutcome(work(mixed)), '1 run cancelled, 6 left as they were, 2 refused');
});

test('a work that stopped says how far it came, and why', () => {
  const undone = { status: 'CANCELLED', total: 9 } as const;
  assert.equal(workOutcome(work(undone)), 'Undone: nothing was changed');
  assert.equal(workOutcome(work({ ...undone, done: 4 })), 'Stopped: 4 of 9 runs retried');
  const refused = { status: 'FAILED', total: 9, done: 4, problem: 'bob may no longer change runs.' } as const;
  assert.equal(workOutcome(work(refused)), 'Stopped after 4 of 9 runs: bob may no longer change runs.');
});

test('a single run says why it was not changed', () => {
  const failures = [{ flow_run_id: '1', flow_run_name: 'otter', reason: 'The run has ended.' }];
  assert.equal(workOutcome(work({ total: 1, failed: 1, failures })), 'Not retried: The run has ended.');
  assert.match(workOutcome(work({ total: 1, skipped: 1 })), /^Not retried/);
});
