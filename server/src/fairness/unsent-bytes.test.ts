import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnsentBytes } from './unsent-bytes.ts';

const frame = () => Buffer.alloc(100_000);

test('the same bytes count once for any number of readers', () => {
  const unsent = new UnsentBytes({ most: Number.POSITIVE_INFINITY, mostOfCaller: 400_000 });
  const shared = frame();
  const releases = Array.from({ length: 200 }, () => unsent.hold(shared, 1, 'ada'));
  assert.ok(releases.every(Boolean));
  assert.equal(unsent.hold(frame(), 1, 'ada'), undefined);
  for (const release of releases) release?.();
  const others = Array.from({ length: 4 }, () => unsent.hold(frame(), 1, 'ada'));
  assert.deepEqual(others.map(Boolean), [true, true, true, false]);
});

test('a caller, a workspace and the process have a share each, and what was refused takes nothing', () => {
  const unsent = new UnsentBytes({ mostOfCaller: 250_000, mostOfWorkspace: 350_000, most: 550_000 });
  const held = (workspace: number, caller: string) => {
    let times = 0;
    while (unsent.hold(frame(), workspace, caller)) times += 1;
    return times;
  };
  assert.deepEqual([held(1, 'ada'), held(1, 'bob'), held(2, 'ada'), held(3, 'eve')], [2, 1, 2, 0]);
});
