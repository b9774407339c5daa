/**
 * Tests that measure time. A busy machine makes them fail, so only the full run has them; the quick run counts steps
 * (`steps.ts`) where it can.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isFullRun } from './full-run.ts';
import { limitHere } from './machine.ts';

/** A test of the full run. The quick run names it as skipped. */
export function timedTest(name: string, work: (context: TestContext) => unknown): void {
  test(name, { skip: isFullRun ? false : 'measures time, which is for the full run' }, async (context) => {
    await work(context);
  });
}

/** What is measured: only what this thread computes, or also what it waits for, such as a database. */
type Measured = 'what it computes' | 'with what it waits for';

/** Seconds of a processor that this thread spends until `work` is done: what other programs do does not count. */
export async function secondsOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e6;
}

async function elapsedSecondsOf(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/**
 * The same for work that can be done again: the fastest of three times counts, because the engine may collect garbage or
 * compile in the others.
 */
export async function assertRepeatedWithin(limit: number, work: () => unknown): Promise<void> {
  const times = [];
  for (let time = 0; time < 3; time++) times.push(await secondsOf(work));
  const fastest = Math.min(...times);
  const allowed = limitHere(fastest, limit);
  assert.ok(fastest <= allowed, `${fastest.toFixed(2)} s of ${allowed.toFixed(2)} s`);
}

/** `limit` is in seconds, for a machine of known speed. */
export async function assertWithin(
  limit: number,
  work: () => unknown,
  measured: Measured = 'what it computes',
): Promise<void> {
  const seconds = await (measured === 'what it computes' ? secondsOf : elapsedSecondsOf)(work);
  const allowed = limitHere(seconds, limit);
  assert.ok(seconds <= allowed, `${seconds.toFixed(2)} s of ${allowed.toFixed(2)} s`);
}
