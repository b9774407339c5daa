// Runs in a process of its own: steps are counted only in code that is loaded afterwards, and counting slows it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { stepsOf } from '../../../test/support/steps.ts';
import { matchesWithin, WHOLE_WORK, WorkAllowance, WorkSpent } from './allowance.ts';
import { CharacterSet, Glob, MAX_MATCHED, MatchedText, parseGlob, type Token } from './glob.ts';

const read = (text: string) => new MatchedText(text, new WorkAllowance());

describe('globs', () => {
  const cases: readonly (readonly [pattern: string, text: string, matches: boolean])[] = [
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'a/b\nc', true],
    ['?', '', false],
    ['?', '😀', true],
    ['??', '😀', false],
    ['a*b', 'ab', true],
    ['a*b', 'a/x/b', true],
    ['a*a', 'a', false],
    ['a*b*c', 'abbc', true],
    ['a*b*c', 'abb', false],
    ['*aab*', 'aaab', true],
    ['*a?c*', 'abbabc', true],
    ['**', 'x', true],
    ['*?*?*', 'x', false],
    ['[a]', 'a', false],
    ['[a]', '[a]', true],
    ['a.c', 'abc', false],
    ['A', 'a', false],
    ['mem://*', 'MEM://x', false],
    ['*\ude00', '😀', false],
    ['\ud83d*', '😀', false],
    ['*\ude00*', '\ude00', true],
  ];
  for (const [pattern, text, matches] of cases) {
    test(`${JSON.stringify(pattern)} ${matches ? 'matches' : 'does not match'} ${JSON.stringify(text)}`, () => {
      assert.equal(parseGlob(pattern).matches(read(text)), matches);
    });
  }

  test('a pattern matches what the definition of its tokens says', () => {
    const token = fc.constantFrom<Token[]>(
      'any',
      'one',
      0x61,
      0x62,
      0x1f600,
      new CharacterSet([['a', 'b']], false),
      new CharacterSet([['a', 'a']], true),
    );
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '😀', '\ud83d'), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), text, (tokens, given) => {
        assert.equal(new Glob('', () => tokens).matches(read(given)), isMatch(tokens, [...given]));
      }),
      { numRuns: 20_000 },
    );
  });

  test('a text beyond the limit fits no pattern, and is not looked at', async () => {
    const work = new WorkAllowance();
    assert.ok(parseGlob('*').matches(read('a'.repeat(MAX_MATCHED))));
    const steps = await stepsOf(() => parseGlob('*a').matches(new MatchedText('a'.repeat(MAX_MATCHED + 1), work)));
    assert.ok(steps < 60, `${steps} steps`);
    assert.ok(WHOLE_WORK - work.left < 10);
  });

  for (const [what, pattern] of [
    ['stars', '*a'.repeat(1000)],
    ['one long part', `*${'a'.repeat(1000)}b${'a'.repeat(998)}*`],
    ['a part that almost fits', `*${'a'.repeat(1998)}b*`],
    ['free characters at the ends of parts', '*?a?'.repeat(500)],
  ] as const) {
    test(`time is linear in the text and does not grow with the pattern: ${what}`, async () => {
      const stepsFor = (length: number) => {
        const glob = parseGlob(`${pattern}z*`);
        const text = read(`${'a'.repeat(length - 1)}z`.replace('z', 'b'));
        return stepsOf(() => assert.equal(glob.matches(text), false));
      };
      const steps = await stepsFor(30_000);
      assert.ok(steps < 20 * 32_000, `${steps} steps`);
      assert.ok((await stepsFor(60_000)) < 2.2 * steps);
    });
  }

  test('a pattern that cannot be linear ends with its allowance', () => {
    const glob = parseGlob(`*${'a?'.repeat(1000)}b*`);
    assert.throws(() => glob.matches(read('a'.repeat(MAX_MATCHED))), WorkSpent);
    assert.equal(
      matchesWithin(() => !glob.matches(read('a'.repeat(MAX_MATCHED)))),
      false,
    );
  });
});

describe('allowances', () => {
  test('a part ends alone, and what it spent is gone from the whole', () => {
    const whole = new WorkAllowance(100);
    const part = whole.part(10);
    part.spend(10);
    assert.throws(() => part.spend(1), WorkSpent);
    assert.equal(whole.left, 90);
    whole.spend(85);
    assert.equal(whole.part(10).left, 5);
    assert.throws(() => whole.part(10).spend(6), WorkSpent);
  });

  test('an error that is not about work is passed on', () => {
    assert.throws(
      () =>
        matchesWithin(() => {
          throw new TypeError('other');
        }),
      TypeError,
    );
  });
});

/** The definition, in whatever time. */
function isMatch([token, ...tokens]: readonly Token[], text: readonly string[]): boolean {
  if (token === undefined) return text.length === 0;
  if (token === 'any') return isMatch(tokens, text) || (text.length > 0 && isMatch([token, ...tokens], text.slice(1)));
  const point = text[0]?.codePointAt(0);
  if (point === undefined) return false;
  const fits = token === 'one' || (typeof token === 'number' ? token === point : token.has(point));
  return fits && isMatch(tokens, text.slice(1));
}
