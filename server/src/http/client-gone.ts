import type { ServerResponse } from 'node:http';

/** Aborts when the client disconnects before it has its whole answer, so that the server stops computing it. */
export function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
