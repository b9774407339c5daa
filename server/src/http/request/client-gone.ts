import type { ServerResponse } from 'node:http';
import type { Requester } from '../../database/store.ts';
import { atClose } from '../../network/at-close.ts';

/** Aborts when the client disconnects before it has its complete answer, so that the server stops computing it. */
export function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed && !response.writableFinished) controller.abort();
  atClose(response, () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** The sender of a request, for the store. Most reads are answered before they need its signal. */
export class RequestRequester implements Requester {
  readonly caller: string;
  readonly #response: ServerResponse;
  #signal: AbortSignal | undefined;

  constructor(response: ServerResponse, caller: string) {
    this.#response = response;
    this.caller = caller;
  }

  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.#response);
    return this.#signal;
  }
}
