import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Unavailable } from '../errors.ts';
import { WHOLE_WORK, WorkSpent } from '../fairness/foreign-work/allowance.ts';
import { ANY, Hub, type StoredEvent } from './hub.ts';

const WORKSPACE = 1;
const event = (id: string, payload = '{}') => ({ id, payload }) as StoredEvent;
const later = async (turns: number) => {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
};

/** A hub whose clock only moves as listeners take their time. */
function slowHub() {
  let now = 0;
  const hub = new Hub(() => now);
  const told: string[] = [];
  const listen = (caller: string, milliseconds: number, end?: (error: unknown) => void) =>
    hub.hear(
      'events',
      WORKSPACE,
      ({ id }) => {
        now += milliseconds;
        told.push(`${caller} ${id}`);
      },
      { caller, ...(end && { end }) },
    );
  return { hub, told, listen };
}

describe('the hub', () => {
  test('a part of the server hears at once of its subject, or of any, until it leaves', () => {
    const hub = new Hub();
    const heard: string[] = [];
    const leave = hub.hear('servers', 'one', (change, id) => heard.push(`${id} ${change}`));
    hub.hear('servers', ANY, (change, id) => heard.push(`any: ${id} ${change}`));
    hub.hear('servers', ANY, () => {
      throw new Error('planted');
    });
    hub.tell('servers', 'one', 'policy');
    hub.tell('servers', 'two', 'deleted');
    leave();
    hub.tell('servers', 'one', 'manifest', 'stop');
    assert.deepEqual(heard, [
      'one policy',
      'any: one policy',
      'any: two deleted',
      'any: one manifest',
      'any: one stop',
    ]);
  });

  test('a caller with many listeners keeps only itself waiting', async () => {
    const { hub, told, listen } = slowHub();
    for (let many = 0; many < 1000; many++) listen('greedy', 2);
    listen('other', 0);
    hub.tell('events', WORKSPACE, event('1'), event('2'));
    // 2000 calls wait, and one turn of the event loop has room for a few.
    assert.ok(told.length <= 12, `${told.length} in one turn`);
    assert.deepEqual(told.slice(0, 4), ['greedy 1', 'other 1', 'greedy 1', 'other 2']);
    await later(1000);
    assert.equal(told.length, 2002);
    assert.equal(told.at(-1), 'greedy 2');
  });

  test('many commits in one turn of the event loop tell no more than one', () => {
    const { hub, told, listen } = slowHub();
    for (let many = 0; many < 100; many++) listen('someone', 1);
    for (let commit = 0; commit < 50; commit++) hub.tell('events', WORKSPACE, event(String(commit)));
    assert.equal(told.length, 10);
  });

  test('who listens later is not told what was published before, and who has left is told nothing', async () => {
    const { hub, told, listen } = slowHub();
    for (let many = 0; many < 20; many++) listen('first', 1);
    const leave = listen('first', 0);
    hub.tell('events', WORKSPACE, event('1'));
    leave();
    listen('first', 0);
    listen('second', 0);
    await later(10);
    assert.deepEqual(told, Array(20).fill('first 1'));
    hub.tell('events', WORKSPACE, event('2'));
    await later(10);
    assert.equal(told.filter((one) => one.endsWith(' 2')).length, 22);
  });

  test('the streams of a caller that is too far behind end, and those of others do not', async () => {
    const { hub, told, listen } = slowHub();
    const ends: unknown[] = [];
    for (let many = 0; many < 3; many++) listen('greedy', 20, (error) => ends.push(error));
    listen('other', 0, () => assert.fail('the other caller was ended'));
    for (let many = 0; many < 30; many++) {
      hub.tell('events', WORKSPACE, event(String(many), 'x'.repeat(1024 * 1024)));
      await later(2);
    }
    assert.ok(ends.length >= 3);
    assert.ok(ends[0] instanceof Unavailable);
    assert.equal(told.filter((one) => one.startsWith('other')).length, 30);
  });

  test('what the filters of one caller spend on an event is not taken from another caller', async () => {
    const hub = new Hub();
    const outcomes: string[] = [];
    const spend = (caller: string, units: number) =>
      hub.hear(
        'events',
        WORKSPACE,
        (_, __, work) => {
          try {
            work.spend(units);
            outcomes.push(`${caller} matched`);
          } catch (error) {
            assert.ok(error instanceof WorkSpent);
            outcomes.push(`${caller} spent`);
          }
        },
        { caller },
      );
    for (const caller of ['greedy', 'greedy', 'other']) spend(caller, WHOLE_WORK);
    hub.tell('events', WORKSPACE, event('1'));
    await later(20);
    assert.deepEqual(outcomes.toSorted(), ['greedy matched', 'greedy spent', 'other matched']);
  });
});
