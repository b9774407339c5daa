import assert from 'node:assert/strict';
import { test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { LineSplitter } from './line-splitter.ts';

function lines(chunks: readonly Buffer[], maxBytes: number): string[] {
  const found: string[] = [];
  const splitter = new LineSplitter(maxBytes, (line, cut) => found.push(line.toString('latin1') + (cut ? '…' : '')));
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return found;
}

test('lines are the same in any chunks of the output', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n'), maxLength: 60 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(60), { maxLength: 6 }), (given, cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), given.length];
      const pieces = places.slice(1).map((end, index) => Buffer.from(given.slice(places[index], end)));
      const expected = given.split('\n').map((line) => line.replace(/\r$/, ''));
      if (expected.at(-1) === '') expected.pop();
      assert.deepEqual(lines(pieces, 1000), expected);
    }),
  );
});

test('a line that is too long is cut, and the next one is whole', () => {
  assert.deepEqual(lines([Buffer.from('abcdef'), Buffer.from('gh\nij\nklmn\n')], 4), ['abcd…', 'ij', 'klmn']);
});
