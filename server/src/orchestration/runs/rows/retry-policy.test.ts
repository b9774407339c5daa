import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { normalisePolicy } from './retry-policy.ts';

const empty = { max_retries: 0, retry_delay_seconds: 0, retries: null, retry_delay: null };

describe('the old names of a retry policy', () => {
  test('fill the new ones where those are null or zero', () => {
    const old = { ...empty, max_retries: 3, retry_delay_seconds: 2 };
    assert.deepEqual(normalisePolicy(old), { ...old, retries: 3, retry_delay: 2 });
    assert.deepEqual(normalisePolicy({ ...old, retries: 0, retry_delay: 0 }), { ...old, retries: 3, retry_delay: 2 });
  });

  test('are ignored where the new ones are set', () => {
    const both = { max_retries: 3, retry_delay_seconds: 2, retries: 5, retry_delay: [1, 2] };
    assert.deepEqual(normalisePolicy(both), both);
  });

  test('leave null and zero unchanged when they are empty', () => {
    assert.deepEqual(normalisePolicy(empty), empty);
    assert.deepEqual(normalisePolicy({ ...empty, retries: 0, retry_delay: 0 }), {
      ...empty,
      retries: 0,
      retry_delay: 0,
    });
  });
});
