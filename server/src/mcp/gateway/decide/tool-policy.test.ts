/** A short run; `test/faults/tool-policy.fault.ts` is the long one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databases } from '../../../../test/support/server.ts';
import { tryPolicies } from '../../../../test/support/tool-policy.ts';

for (const database of databases) {
  test(`no call, however written, reaches a tool that a random policy denies, on ${database}`, async () => {
    const { calls, refused } = await tryPolicies(database, 40);
    assert.ok(refused > 0 && refused < calls, `${refused} of ${calls} were refused`);
  });
}
