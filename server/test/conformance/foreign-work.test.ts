// Runs in a process of its own: steps are counted only in code that is loaded afterwards, and counting slows it.
/**
 * What one message, event or request costs by the patterns and texts of users stays within its allowance, and ends in a
 * refusal or no match. `foreign-work-time.test.ts` measures the same.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stepsOf } from '../support/steps.ts';

// After the line above: code that is loaded earlier is not counted.
const { forgetEvent, pairs } = await import('../support/foreign-texts.ts');
const { WHOLE_WORK } = await import('../../src/fairness/foreign-work/allowance.ts');

describe('patterns and texts of users at their longest', () => {
  for (const { what, prepare, refused } of pairs) {
    test(`${what}: steps within the allowance, and no permission`, async () => {
      const match = prepare();
      let answer: unknown;
      const steps = await stepsOf(async () => {
        answer = await match();
      });
      forgetEvent();
      if (refused !== undefined) assert.deepEqual(answer, refused);
      assert.ok(steps < 6 * WHOLE_WORK, `${steps} steps`);
    });
  }
});
