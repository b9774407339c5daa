import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugOf } from './slug.ts';

test('a name becomes a part of an address', () => {
  assert.equal(slugOf('Data Platform'), 'data-platform');
  assert.equal(slugOf('  R&D / 2026!  '), 'r-d-2026');
  assert.equal(slugOf('Zürich Ærø Straße'), 'zurich-r-stra-e');
  assert.equal(slugOf('ﬁnance Ⅳ'), 'finance-iv');
});

test('a name without a letter or digit of the address is empty', () => {
  for (const name of ['', '---', '数据', '🚀']) assert.equal(slugOf(name), '');
});

test('a long name is cut', () => {
  assert.equal(slugOf('a'.repeat(100)), 'a'.repeat(60));
  assert.equal(slugOf(`${'a'.repeat(59)} b`), 'a'.repeat(59));
});
