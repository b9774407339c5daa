// Runs in a process of its own: steps are counted only in code that is loaded afterwards, and counting slows it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepsOf } from '../../test/support/steps.ts';
import { WorkAllowance } from '../fairness/foreign-work/allowance.ts';
import { foldedText, LabelTest } from './label-pattern.ts';

function matchesPattern(pattern: string, value: string): boolean {
  return new LabelTest(pattern).matches(foldedText(value, new WorkAllowance()));
}

test('a pattern without wildcards matches the whole value, ignoring case', () => {
  assert.ok(matchesPattern('Prod', 'pROD'));
  assert.ok(!matchesPattern('prod', 'production'));
  assert.ok(matchesPattern('', ''));
  assert.ok(!matchesPattern('', 'x'));
  assert.ok(!matchesPattern('Ü', 'ü'));
});

test('a star matches any text, and a question mark matches one character', () => {
  assert.ok(matchesPattern('*', ''));
  assert.ok(matchesPattern('a*c*e', 'abcde'));
  assert.ok(!matchesPattern('a*c*e', 'abcd'));
  assert.ok(matchesPattern('p?od', 'p\nod'));
  assert.ok(matchesPattern('?', '😀'));
  assert.ok(!matchesPattern('?', ''));
  assert.ok(matchesPattern('*.*', 'a.b.c'));
  assert.ok(matchesPattern('**', 'x'));
});

test('special characters of databases and regular expressions are literal', () => {
  for (const value of ['100%', 'a_b', 'back\\slash', 'a[b]', '(x|y)', '^$']) {
    assert.ok(matchesPattern(value, value), value);
    assert.ok(matchesPattern(`*${value}`, `> ${value}`), value);
  }
  assert.ok(!matchesPattern('a_b', 'axb'));
  assert.ok(!matchesPattern('a%', 'abc'));
});

test('a leading exclamation mark negates a pattern, once', () => {
  assert.ok(matchesPattern('!prod', 'dev'));
  assert.ok(!matchesPattern('!p*', 'prod'));
  assert.ok(matchesPattern('!!x', 'x'));
  assert.ok(!matchesPattern('!!x', '!x'));
});

test('a pattern that is built to be slow takes a few steps for each pair of characters at most', async () => {
  const value = 'a'.repeat(20_000);
  const manyStars = await stepsOf(() => assert.ok(!matchesPattern(`${'*a'.repeat(900)}b`, value)));
  assert.ok(manyStars < 10 * value.length, `${manyStars} steps`);
  const lateMismatch = await stepsOf(() => assert.ok(!matchesPattern(`*${'a'.repeat(99)}b`, value)));
  assert.ok(lateMismatch < 500 * value.length, `${lateMismatch} steps`);
});
