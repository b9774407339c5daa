/** Random policies and calls: a tool that is denied is reached by none of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tryPolicies } from '../support/tool-policy.ts';
import { count, report } from './harness.ts';

test('no call, however written, reaches a tool that a random policy denies', async () => {
  const { policies, calls, refused } = await tryPolicies('sqlite', count(250, 20_000));
  assert.ok(refused > 0 && refused < calls);
  report({
    test: '37',
    name: 'calls that reached a denied tool, lists that were not exactly what is allowed',
    value: `0 of ${calls} calls under ${policies} policies (${refused} refused)`,
    limit: '0',
  });
});
