import type { ServerResponse } from 'node:http';
import { atClose } from '../../network/at-close.ts';

/** Aborts when the client disconnects before it has its complete answer, so that the server stops computing it. */
export function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  atClose(response, () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
