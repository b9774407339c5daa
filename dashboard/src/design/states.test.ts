import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markShapes } from './state-shapes.ts';
import { isEnded, stateKind, stateKinds, titleOf, tokenOf } from './states.ts';

test('a scheduled run that is late is shown as late, and no other run is', () => {
  assert.equal(stateKind('SCHEDULED', 'Late'), 'LATE');
  assert.equal(stateKind('SCHEDULED', 'AwaitingRetry'), 'SCHEDULED');
  assert.equal(stateKind('FAILED', 'Late'), 'FAILED');
});

test('a run without a state is pending', () => {
  assert.equal(stateKind(null, null), 'PENDING');
  assert.equal(stateKind(undefined, 'Late'), 'PENDING');
});

test('each state has a title, a colour and a mark that no other has', () => {
  for (const look of [titleOf, tokenOf, (kind: (typeof stateKinds)[number]) => JSON.stringify(markShapes[kind])]) {
    assert.equal(new Set(stateKinds.map(look)).size, 10);
  }
});

test('failures come first and completed runs last', () => {
  assert.deepEqual([stateKinds[0], stateKinds.at(-1)], ['FAILED', 'COMPLETED']);
});

test('a run has ended in four of the states', () => {
  const ended = stateKinds.filter((kind) => kind !== 'LATE' && isEnded(kind));
  assert.deepEqual(ended, ['FAILED', 'CRASHED', 'CANCELLED', 'COMPLETED']);
  assert.equal(isEnded(null), false);
});
