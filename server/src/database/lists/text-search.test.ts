import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matchesTextQuery, parseTextQuery } from './text-search.ts';

/** Each query with its terms: plain, `+` required, `-` excluded. */
function termsOf(text: string): string[] {
  const { include, require, exclude } = parseTextQuery(text);
  return [...include, ...require.map((term) => `+${term}`), ...exclude.map((term) => `-${term}`)];
}

describe('a text query', () => {
  test('splits at white space and ignores case', () => {
    assert.deepEqual(termsOf('Flow  started\tnow\u2003OK\x85x'), ['flow', 'started', 'now', 'ok', 'x']);
  });

  test('keeps quoted words together, with escaped quotes and backslashes', () => {
    assert.deepEqual(termsOf('"connection reset"'), ['connection reset']);
    assert.deepEqual(termsOf(String.raw`"say \"hi\"" "a\\b" "a\b"`), ['say "hi"', 'a\\b', 'a\\b']);
  });

  test('reads an unclosed phrase to the end', () => {
    assert.deepEqual(termsOf('a "b c'), ['a', 'b c']);
    assert.deepEqual(termsOf('"ends\\'), ['ends\\']);
  });

  test('excludes with - and !, requires with +, and counts only the first prefix', () => {
    assert.deepEqual(termsOf('a -b !c +d'), ['a', '+d', '-b', '-c']);
    assert.deepEqual(termsOf('--b +-c -"d e"'), ['+-c', '--b', '-d e']);
    assert.deepEqual(termsOf('a-b c+d'), ['a-b', 'c+d']);
  });

  test('ignores a lone prefix and terms of white space', () => {
    assert.deepEqual(termsOf('- a + '), ['a']);
    assert.deepEqual(termsOf('"" " " -"" +'), []);
  });

  test('starts a new term at a quote and after a closing quote', () => {
    assert.deepEqual(termsOf('a"b c"d'), ['a', 'b c', 'd']);
    assert.deepEqual(termsOf('"b"-a'), ['b', '-a']);
  });

  test('matches when any plain term, every required term and no excluded term is present', () => {
    const matches = (query: string, text: string) => matchesTextQuery(parseTextQuery(query), text);
    assert.ok(matches('boom reset', 'Connection RESET by peer'));
    assert.ok(!matches('boom +peer -reset', 'Connection reset by peer'));
    assert.ok(!matches('reset +boom', 'Connection reset by peer'));
    assert.ok(matches('50%', 'it is 50% done'));
    assert.ok(!matches('5%e', 'it is 50% done'));
    assert.ok(matches('', 'anything'));
  });
});
