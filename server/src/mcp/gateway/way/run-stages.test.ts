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
  const failing: Row = {
    stage: () => {
      throw new Error('planted');
    },
    arrivals: ['key'],
  };

  /** What the caller of the runner learns, in order. */
  const run = (rows: readonly Row[]) => {
    passed.length = 0;
    const learned: unknown[] = [];
    const later = Promise.withResolvers<void>();
    const learn = (end: unknown) => {
      learned.push(end);
      later.resolve();
    };
    const exchange = { within: (work: () => void) => work() };
    const call = { arrival: 'key', exchange } as Call;
    runStages(rows, call, {} as StageParts, { ended: learn, failed: (error) => learn(String(error)) });
    return { learned, later: later.promise };
  };

  test('passes through all stages at once when none is late', () => {
    assert.deepEqual(run([row('one', undefined), row('two', undefined)]).learned, [ENDED]);
    assert.deepEqual(passed, ['one', 'two']);
  });

  test('stops at a refusal, at the end of a call and at an error', () => {
    for (const end of [REFUSAL, ENDED] as const) {
      assert.deepEqual(run([row('one', end), row('two', undefined)]).learned, [end]);
      assert.deepEqual(passed, ['one']);
    }
    assert.deepEqual(run([row('one', undefined), failing, row('two', undefined)]).learned, ['Error: planted']);
    assert.deepEqual(passed, ['one']);
  });

  test('goes on after a late stage, and stops at a late refusal and a late error', async () => {
    const callBack = (how: (known: (outcome: undefined | Refusal) => void, failed: (error: unknown) => void) => void) =>
      row('one', (known, failed) => setImmediate(how, known, failed));
    const late = [
      [row('one', Promise.resolve(undefined)), ENDED, ['one', 'two']],
      [row('one', Promise.resolve(REFUSAL)), REFUSAL, ['one']],
      [callBack((known) => known(undefined)), ENDED, ['one', 'two']],
      [callBack((known) => known(REFUSAL)), REFUSAL, ['one']],
      [callBack((_known, failed) => failed(new Error('planted'))), 'Error: planted', ['one']],
    ] as const;
    for (const [first, end, through] of late) {
      const { learned, later } = run([first, row('two', undefined)]);
      assert.deepEqual([learned, passed], [[], ['one']]);
      await later;
      assert.deepEqual([learned, passed], [[end], through]);
    }
    const { learned, later } = run([row('one', Promise.resolve(undefined)), failing]);
    await later;
    assert.deepEqual(learned, ['Error: planted']);
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
    assert.deepEqual(run([...rows, row('untouched', undefined, 'untouched')]).learned, [ENDED]);
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
