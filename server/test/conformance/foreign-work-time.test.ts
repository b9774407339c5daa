/** Time on the event loop of what `foreign-work.test.ts` counts. */
import { describe } from 'node:test';
import { forgetEvent, pairs } from '../support/foreign-texts.ts';
import { assertRepeatedWithin, timedTest } from '../support/timed.ts';

/** Seconds of one turn. */
const TURN_SECONDS = 0.05;

describe('patterns and texts of users at their longest', () => {
  for (const { what, prepare } of pairs) {
    timedTest(`${what}: a moment of the event loop`, async () => {
      const match = prepare();
      await assertRepeatedWithin(TURN_SECONDS, async () => {
        await match();
        forgetEvent();
      });
    });
  }
});
