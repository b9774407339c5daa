import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicyRule } from '../queries.ts';
import { changedRules } from './policy-changes.ts';

const rule = (pattern: string, effect: PolicyRule['effect'] = 'deny'): PolicyRule => ({
  capability: 'tool',
  pattern,
  effect,
});

test('a policy that is as it was has no changed rule, in any order', () => {
  assert.equal(changedRules([], []), 0);
  assert.equal(changedRules([rule('a'), rule('b')], [rule('b'), rule('a')]), 0);
});

test('a rule that was added, changed or removed counts once', () => {
  assert.equal(changedRules([rule('a')], [rule('a'), rule('b')]), 1);
  assert.equal(changedRules([rule('a')], [rule('a', 'allow')]), 1);
  assert.equal(changedRules([rule('a'), rule('b')], [rule('b')]), 1);
  assert.equal(changedRules([rule('a')], []), 1);
});

test('rules that are equal are counted apart', () => {
  assert.equal(changedRules([rule('a')], [rule('a'), rule('a')]), 1);
  assert.equal(changedRules([rule('a'), rule('a')], [rule('a')]), 1);
});
