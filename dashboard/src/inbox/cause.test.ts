import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cause, inOrder, type Standing } from './cause.ts';

const cause = (id: string, standing: Standing, lastSeen: string) => ({ id, standing, lastSeen }) as Cause;

test('causes that came back are first, then the new ones, and each kind by its last time', () => {
  const causes = [
    cause('old', 'again', '2026-11-29T10:00:00Z'),
    cause('newest', 'new', '2026-11-29T09:00:00Z'),
    cause('back', 'regressed', '2026-11-28T10:00:00Z'),
    cause('newer', 'new', '2026-11-29T08:00:00Z'),
  ];
  assert.deepEqual(
    inOrder(causes).map(({ id }) => id),
    ['back', 'newest', 'newer', 'old'],
  );
});
