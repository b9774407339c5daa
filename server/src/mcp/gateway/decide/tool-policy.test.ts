/** A short run; `test/faults/tool-policy.fault.ts` is the long one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tryCapabilities } from '../../../../test/support/capability-policy.ts';
import { databasesOfRun } from '../../../../test/support/server.ts';
import { tryPolicies } from '../../../../test/support/tool-policy.ts';

for (const database of databasesOfRun) {
  test(`no call, in any spelling, reaches a tool that a random policy denies, on ${database}`, async () => {
    const { calls, refused } = await tryPolicies(database, 40);
    assert.ok(refused > 0 && refused < calls, `${refused} of ${calls} were refused`);
  });

  test(`no request, in either era, uses a prompt or resource that a random policy denies, on ${database}`, async () => {
    const { requests, refused } = await tryCapabilities(database, 30);
    assert.ok(refused > 0 && refused < requests, `${refused} of ${requests} were refused`);
  });
}
