/** One `close` listener per response, shared by everyone who waits: a listener each costs more than the work. */
import type { ServerResponse } from 'node:http';
import { inBackground } from '../watching/background.ts';

const ACTS = Symbol('what waits for the end');

interface Awaited extends ServerResponse {
  [ACTS]?: (() => void)[];
}

/**
 * Calls `act` once, when the answer has been sent or its connection is gone, after the functions that were given
 * before. Never calls it if the answer has already closed. If one function throws, the others still run.
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
