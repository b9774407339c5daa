// Runs in a process of its own: steps are counted only in code that is loaded afterwards, and counting slows it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkAllowance } from '../../src/fairness/foreign-work/allowance.ts';
import { MatchedText, parseGlob } from '../../src/fairness/foreign-work/glob.ts';
import { charactersParsedIn, stepsOf } from './steps.ts';

test('the steps within a function are counted, the same ones each time', async () => {
  const match = (length: number) =>
    stepsOf(() => parseGlob('*b*').matches(new MatchedText('a'.repeat(length), new WorkAllowance())));
  const [once, again, twice] = [await match(1000), await match(1000), await match(2000)];
  assert.equal(once, again);
  assert.ok(once > 1000 && twice - once >= 1000, `${once} steps, then ${twice}`);
});

test('the characters that are parsed are counted each time', async () => {
  const text = '{"a":1}';
  assert.equal(await charactersParsedIn(text, () => [JSON.parse(text), JSON.parse('[]'), JSON.parse(text)]), 14);
  assert.equal(await charactersParsedIn(text, () => undefined), 0);
});
