// Runs in a process of its own: steps are counted only in code that is loaded afterwards, and counting slows it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { stepsOf } from '../../../../test/support/steps.ts';
import { WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import { MatchedText } from '../../../fairness/foreign-work/glob.ts';
import * as patterns from './patterns.ts';

const compileLabelPattern = (pattern: string) => testOf(patterns.compileLabelPattern(pattern));
const compileNamePattern = (pattern: string) => testOf(patterns.compileNamePattern(pattern));

function testOf(matches: patterns.TextTest) {
  return (text: string) => matches(new MatchedText(text, new WorkAllowance()));
}

/** The patterns that match the value. Source of the expected ones: the Prefect server 3.9.1. */
function matched(patterns: readonly string[], value: string): string[] {
  return patterns.filter((pattern) => compileLabelPattern(pattern)(value));
}

test('labels are compared character by character, with wildcards and sets', () => {
  assert.deepEqual(matched(['ABC', 'A*', 'A?C', '*C', '*', 'A*C', '[A]BC', '[!B]BC', '[a-zA-Z]*'], 'ABC').length, 9);
  assert.deepEqual(matched(['abc', 'a*', 'A', 'ABCD', 'AB', '[B]BC', '', '?', 'A[]BC'], 'ABC'), []);
  assert.deepEqual(matched(['b.c', 'b?c', 'b*'], 'b.c').length, 3);
  assert.deepEqual(matched(['', '*'], ''), ['', '*']);
  assert.deepEqual(matched(['a[b', '[]]', '[!]]'], 'a[b'), ['a[b']);
  assert.deepEqual(matched(['[]]', '[!]]', '[a-]', '?'], ']'), ['[]]', '?']);
});

test('a leading exclamation mark negates the rest', () => {
  assert.deepEqual(matched(['!ABC', '!A*', '!Q', '!B*', '!', '!!ABC'], 'ABC'), ['!Q', '!B*', '!', '!!ABC']);
});

test('in event names a star is one character or more, and no other character is special', () => {
  const matches = (pattern: string, name: string) => compileNamePattern(pattern)(name);
  for (const pattern of ['t.one', 't.*', 't*', '*', '*.one', 't.*ne']) assert.ok(matches(pattern, 't.one'), pattern);
  for (const pattern of ['T.ONE', 't.?ne', 't.on', 'one', 't.one*', 't.[o]ne', '*one*x', '', '*t.one']) {
    assert.ok(!matches(pattern, 't.one'), pattern);
  }
});

test('no pattern is slow: one takes a few steps for each pair of characters at most', async () => {
  const value = 'a'.repeat(5000);
  const manyStars = compileLabelPattern(`${'*a'.repeat(500)}b`);
  const steps = await stepsOf(() => assert.equal(manyStars(value), false));
  assert.ok(steps < 15 * value.length, `${steps} steps`);
  const lateMismatch = compileLabelPattern(`*${'a'.repeat(99)}b`);
  const more = await stepsOf(() => assert.equal(lateMismatch(value), false));
  assert.ok(more < 500 * value.length, `${more} steps`);
});

test('a text matches itself, and a star in place of its middle part', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.') });
  fc.assert(
    fc.property(letters, letters, letters, (one, two, three) => {
      const text = one + two + three;
      assert.ok(compileLabelPattern(text.startsWith('!') ? '*' : text)(text));
      assert.ok(compileLabelPattern(`${one}*${three}`)(text));
      assert.equal(compileNamePattern(`${one}*${three}`)(text), two.length > 0);
    }),
  );
});

test('a pattern that would be slow matches no text', async () => {
  const pattern = compileLabelPattern(`*${'a'.repeat(50_000)}b`);
  const steps = await stepsOf(() => assert.equal(pattern('a'.repeat(1_000_000)), false));
  assert.ok(steps < 10, `${steps} steps`);
});
