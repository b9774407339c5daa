import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesPattern } from './label-pattern.ts';

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

test('a pattern that is built to be slow is answered at once', () => {
  const started = performance.now();
  assert.ok(!matchesPattern(`${'*a'.repeat(900)}b`, 'a'.repeat(20_000)));
  assert.ok(performance.now() - started < 2000);
});
