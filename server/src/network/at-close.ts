/**
 * One listener of an answer for all who wait for its end: a listener for each of them costs more than what they do.
 */
import type { ServerResponse } from 'node:http';
import { inBackground } from '../watching/background.ts';

const ACTS = Symbol('what waits for the end');

interface Awaited extends ServerResponse {
  [ACTS]?: (() => void)[];
}

/**
 * Calls `act` once, when the answer has been sent or its connection is gone, after those that were given before. Never,
 * when the answer has closed already. One that throws takes none of the others with it.
 */
export function atClose(response: ServerResponse, act: () => void): void {
  const awaited = response as Awaited;
  if (awaited[ACTS]) awaited[ACTS].push(act);
  else {
    awaited[ACTS] = [act];
    awaited.on('close', callAll);
  }
}

function callAll(this: Awaited): void {
  const acts = this[ACTS] ?? [];
  this[ACTS] = [];
  for (const act of acts) inBackground('the close of an answer', act);
}
