import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { KeptFacts } from '../kept-facts.ts';
import { AccessWindow, WINDOW_MILLISECONDS } from './access-window.ts';

/**
 * A process with a window of two ticks, and two changes. Numbers are below eight, so a state is one number. `0` means
 * nothing where a time is one too large, and a version 0 is unknown.
 */
interface State {
  tick: number;
  /** The version in the database. */
  stored: number;
  /** The versions whose changes wait for their answer, and the times of their acknowledged commits. */
  waiting: [version: number, committed: number][];
  /** The newest version whose change was answered. */
  answered: number;
  /** What the process knows: version, epoch, time of the look, version of the kept fact. */
  known: number;
  epoch: number;
  lookedAt: number;
  kept: number;
  /** The look and the read under way; 0 where there is none, and for a snapshot that is not taken yet. */
  lookSentAt: number;
  lookSaw: number;
  readEpoch: number;
  readSaw: number;
}

const WINDOW_TICKS = 2;
const TICKS = 6;
const CHANGES = 2;
const EPOCHS = 4;

function encode(state: State): number {
  const [first = [0, 0], second = [0, 0]] = state.waiting;
  const { tick, stored, answered, known, epoch, lookedAt, kept, lookSentAt, lookSaw, readEpoch, readSaw } = state;
  const rest = [answered, known, epoch, lookedAt, kept, lookSentAt, lookSaw, readEpoch, readSaw];
  return [tick, stored, ...first, ...second, ...rest].reduce((number, digit) => number * 8 + digit, 0);
}

/** The states that may follow. `wait` is the wait of a change in ticks; `marks` tells whether old reads are dropped. */
function following(state: State, wait: number, marks: boolean): State[] {
  const { tick, waiting } = state;
  const next: State[] = [];
  if (tick < TICKS) next.push({ ...state, tick: tick + 1 });
  if (state.stored <= CHANGES) {
    next.push({ ...state, stored: state.stored + 1, waiting: [...waiting, [state.stored + 1, 0]] });
  }
  waiting.forEach(([version, committed], index) => {
    const others = waiting.toSpliced(index, 1);
    // Times are one larger, because 0 means that none is known.
    if (committed === 0) next.push({ ...state, waiting: waiting.with(index, [version, tick + 1]) });
    else if (tick + 1 >= committed + wait) {
      next.push({ ...state, waiting: others, answered: Math.max(state.answered, version) });
    }
  });
  if (state.lookSentAt === 0) next.push({ ...state, lookSentAt: tick + 1 });
  else if (state.lookSaw === 0) next.push({ ...state, lookSaw: state.stored });
  else {
    const { lookSaw, lookSentAt } = state;
    const seen = { ...state, lookSentAt: 0, lookSaw: 0, lookedAt: lookSentAt };
    const isNew = lookSaw !== state.known;
    next.push(isNew ? { ...seen, known: lookSaw, kept: 0, epoch: (state.epoch + 1) % EPOCHS } : seen);
  }
  if (state.readEpoch === 0) next.push({ ...state, readEpoch: state.epoch + 1 });
  else if (state.readSaw === 0) next.push({ ...state, readSaw: state.stored });
  else {
    const isKept = !marks || state.readEpoch === state.epoch + 1;
    next.push({ ...state, readEpoch: 0, readSaw: 0, kept: isKept ? state.readSaw : state.kept });
  }
  return next;
}

/** True if a request that arrives now uses a fact from before a change that was answered. */
function isWrong({ tick, lookedAt, kept, answered }: State): boolean {
  return kept > 0 && lookedAt > 0 && tick + 1 - lookedAt <= WINDOW_TICKS && kept < answered;
}

/** Searches every order of the events. Returns the number of states, and whether one is wrong. */
function search(wait: number, marks = true): { readonly states: number; readonly wrong: boolean } {
  const start: State = {
    ...{ tick: 0, stored: 1, waiting: [], answered: 1, known: 0, epoch: 0, lookedAt: 0, kept: 0 },
    ...{ lookSentAt: 0, lookSaw: 0, readEpoch: 0, readSaw: 0 },
  };
  const found = new Set([encode(start)]);
  let states = [start];
  while (states.length > 0) {
    const next: State[] = [];
    for (const state of states) {
      if (isWrong(state)) return { states: found.size, wrong: true };
      for (const after of following(state, wait, marks)) {
        const code = encode(after);
        if (found.has(code)) continue;
        found.add(code);
        next.push(after);
      }
    }
    states = next;
  }
  return { states: found.size, wrong: false };
}

describe('the window of access', () => {
  test('no order of events lets a request use a fact from before an answered change', () => {
    const { states, wrong } = search(WINDOW_TICKS + 1);
    assert.equal(wrong, false);
    assert.ok(states > 500_000, `${states} states`);
  });

  test('the search finds a wait that is too short, and reads that are not dropped', () => {
    assert.equal(search(WINDOW_TICKS).wrong, true);
    assert.equal(search(WINDOW_TICKS + 1, false).wrong, true);
  });

  /** Plays moves on the real window with a clock of its own. Returns whether a request used a fact from before an answer. */
  async function play(moves: readonly number[], wait: number): Promise<boolean> {
    let now = 1000;
    let stored = 1;
    let answered = 1;
    let asked: { saw: number; resolve: (version: number) => void }[] = [];
    let reads: { readonly epoch: number; saw: number }[] = [];
    let committed: { readonly version: number; readonly at: number }[] = [];
    const look = new AccessWindow(
      () => new Promise((resolve) => asked.push({ saw: 0, resolve })),
      () => now,
    );
    const kept = new KeptFacts<number>(look, 'test');
    for (const move of moves) {
      switch (move % 8) {
        case 0:
          now += WINDOW_MILLISECONDS / 2;
          break;
        case 1:
          stored += 1;
          committed.push({ version: stored, at: now });
          break;
        case 2:
          for (const one of asked) one.saw ||= stored;
          break;
        case 3:
          for (const { saw, resolve } of asked) if (saw > 0) resolve(saw);
          asked = asked.filter(({ saw }) => saw === 0);
          break;
        case 4:
          reads.push({ epoch: kept.epoch, saw: 0 });
          break;
        case 5:
          for (const one of reads) one.saw ||= stored;
          break;
        case 6:
          for (const { epoch, saw } of reads) if (saw > 0) kept.keep('fact', saw, epoch);
          reads = reads.filter(({ saw }) => saw === 0);
          break;
        default:
          kept.look();
          if ((kept.find('fact') ?? answered) < answered) return true;
      }
      for (const { version, at } of committed) if (now >= at + wait) answered = Math.max(answered, version);
      committed = committed.filter(({ at }) => now < at + wait);
      // What an answered look does is done before the next move.
      await new Promise(setImmediate);
    }
    return false;
  }
  const moves = fc.array(fc.nat(7), { minLength: 10, maxLength: 60 });

  test('the window itself does not either, in orders at random', async () => {
    await fc.assert(
      fc.asyncProperty(moves, async (made) => !(await play(made, WINDOW_MILLISECONDS + 1))),
      { numRuns: 10_000 },
    );
    // Half of a window is too short, and the same orders show it: look, read, change, answer, request.
    assert.equal(await play([7, 2, 3, 4, 5, 6, 1, 0, 7], WINDOW_MILLISECONDS / 2), true);
    assert.equal(await play([7, 2, 3, 4, 5, 6, 1, 0, 7], WINDOW_MILLISECONDS + 1), false);
  });

  test('a process that was stopped reads again, and without requests there are no looks', async () => {
    let now = 0;
    let looks = 0;
    const look = new AccessWindow(
      async () => {
        looks += 1;
        return 1;
      },
      () => now,
    );
    assert.equal(look.isFresh(), false);
    await new Promise(setImmediate);
    assert.equal(look.isFresh(), true);
    now += 60_000;
    assert.equal(looks, 1);
    assert.equal(look.isFresh(), false);
    await new Promise(setImmediate);
    assert.equal(look.isFresh(), true);
  });

  test('a database that does not answer leaves no fact', async () => {
    const look = new AccessWindow(() => Promise.reject(new Error('away')));
    assert.equal(look.isFresh(), false);
    await new Promise(setImmediate);
    assert.equal(look.isFresh(), false);
  });
});
