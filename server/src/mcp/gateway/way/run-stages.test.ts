import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Refusal } from '../arrive/refusals.ts';
import type { Arrival, Call } from './call.ts';
import { after, ENDED, type Row, runStages, type Stage } from './run-stages.ts';
import type { StageParts } from './stage-parts.ts';

const REFUSAL: Refusal = { status: 418, code: -32000, message: 'no' };

describe('the runner of stages', () => {
  const passed: string[] = [];
  const row = (name: string, outcome: ReturnType<Stage>, ...arrivals: Arrival[]): Row => ({
    stage: () => {
      passed.push(name);
      return outcome;
    },
    arrivals: arrivals.length === 0 ? ['key'] : arrivals,
  });
  const run = (rows: readonly Row[]) => {
    passed.length = 0;
    return runStages(rows, { arrival: 'key' } as Call, {} as StageParts);
  };

  test('passes through all stages at once when none is late', () => {
    assert.equal(run([row('one', undefined), row('two', undefined)]), ENDED);
    assert.deepEqual(passed, ['one', 'two']);
  });

  test('stops at a refusal and at the end of a call', () => {
    assert.equal(run([row('one', REFUSAL), row('two', undefined)]), REFUSAL);
    assert.deepEqual(passed, ['one']);
    assert.equal(run([row('one', ENDED), row('two', undefined)]), ENDED);
    assert.deepEqual(passed, ['one']);
  });

  test('goes on after a late stage, and stops at a late refusal', async () => {
    const late = run([row('one', Promise.resolve(undefined)), row('two', undefined)]);
    assert.deepEqual(passed, ['one']);
    assert.equal(await late, ENDED);
    assert.deepEqual(passed, ['one', 'two']);
    assert.equal(await run([row('one', Promise.resolve(REFUSAL)), row('two', undefined)]), REFUSAL);
    assert.deepEqual(passed, ['one']);
  });

  test('leaves out the stages of other ways of arriving, also when the way changes', () => {
    const turn: Row = {
      stage: (call) => {
        call.arrival = 'untouched';
        return undefined;
      },
      arrivals: ['key'],
    };
    const rows = [row('session', undefined, 'session'), turn, row('key', undefined)];
    assert.equal(run([...rows, row('untouched', undefined, 'untouched')]), ENDED);
    assert.deepEqual(passed, ['untouched']);
  });

  test('a value that is there is used at once', async () => {
    assert.equal(
      after(1, (value) => value + 1),
      2,
    );
    assert.equal(await after(Promise.resolve(1), (value) => value + 1), 2);
  });
});
