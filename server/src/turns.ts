/**
 * Long work on what a caller sent is done in pieces, one for all callers in each turn of the event loop: however many send
 * something large at once, other requests wait for one piece.
 */
const waiting: (() => void)[] = [];

/** Resolves in a later turn, after those who asked before. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(takeTurn);
  });
}

function takeTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(takeTurn);
}
