import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeenTexts } from './seen-texts.ts';

test('a text is seen when it was added before', () => {
  const seen = new SeenTexts();
  const texts = Array.from({ length: 300_000 }, (_, index) => `key ${index}`);
  assert.deepEqual(
    texts.filter((text) => !seen.add(text)),
    [],
  );
  assert.ok(texts.slice(0, 1000).every((text) => !seen.add(text)));
  assert.equal(seen.add(''), true);
  assert.equal(seen.add(''), false);
});

test('texts that were chosen to look the same count as seen, at no more cost', () => {
  // "Aa" and "BB" are the same to one of the two numbers, and texts that differ in the middle to both.
  const seen = new SeenTexts();
  const long = (middle: string) => `${'a'.repeat(300)}${middle}${'b'.repeat(300)}`;
  assert.deepEqual(
    ['Aa', 'BB', long('1'), long('2')].map((text) => seen.add(text)),
    [true, true, true, false],
  );
});
