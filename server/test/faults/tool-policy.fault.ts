/** Random policies and requests: what is denied is reached by none of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tryCapabilities } from '../support/capability-policy.ts';
import { tryPolicies } from '../support/tool-policy.ts';
import { count, report } from './harness.ts';

test('no call, in any spelling, reaches a tool that a random policy denies', async () => {
  const { policies, calls, refused } = await tryPolicies('sqlite', count(250, 20_000));
  assert.ok(refused > 0 && refused < calls);
  report({
    test: '37',
    name: 'calls that reached a denied tool, lists that were not exactly what is allowed',
    value: `0 of ${calls} calls under ${policies} policies (${refused} refused)`,
    limit: '0',
  });
});

test('no request, in either era, uses a prompt or a resource that a random policy denies', async () => {
  const { policies, requests, refused, sent, got } = await tryCapabilities('sqlite', count(250, 20_000));
  assert.ok(refused > 0 && refused < requests);
  report({
    test: '37',
    name: 'requests that used a denied prompt or resource, notifications about a denied resource',
    value: `0 of ${requests} requests under ${policies} policies (${refused} refused); ${got} of ${sent} notifications passed`,
    limit: '0',
  });
});
