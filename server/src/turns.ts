/**
 * Splits long work on a request into pieces. Each turn of the event loop runs one piece of one caller, so other
 * requests wait for one piece only, however many callers send large requests at once.
 */
const waiting: (() => void)[] = [];

/** Resolves in a later turn, after earlier callers. */
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
