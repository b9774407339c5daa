import type { ServerResponse } from 'node:http';

/** Aborts when the client goes before it has its whole answer, so that nothing is computed for nobody. */
export function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
