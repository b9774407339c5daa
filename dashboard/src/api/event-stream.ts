/** Server-sent events with the credential of this tab, if it has one, which an EventSource cannot send. */
import { basicAuthorization } from './basic-credential.ts';

interface Events {
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<string>) => void): void;
  close(): void;
}

export function openEvents(address: string): Events {
  const authorization = basicAuthorization();
  if (authorization === undefined) return new EventSource(address, { withCredentials: true });
  return new FetchedEvents(address, authorization) as Events;
}

class FetchedEvents extends EventTarget {
  readonly #abort = new AbortController();

  constructor(address: string, authorization: string) {
    super();
    void this.#read(address, authorization).catch(() => {
      if (!this.#abort.signal.aborted) this.dispatchEvent(new Event('error'));
    });
  }

  close(): void {
    this.#abort.abort();
  }

  /** Ends with an error, like a stream that the server closes. */
  async #read(address: string, authorization: string): Promise<never> {
    const { signal } = this.#abort;
    const answer = await fetch(address, { headers: { authorization, accept: 'text/event-stream' }, signal });
    if (!answer.ok || !answer.body) throw new Error(`The stream was answered ${answer.status}.`);
    this.dispatchEvent(new Event('open'));
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; ; ) {
      const { value, done } = await reader.read();
      if (done) throw new Error('The stream has ended.');
      const events = (rest + value).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) this.#tell(event);
    }
  }

  #tell(event: string): void {
    const lines = event.split('\n').filter((line) => line.startsWith('data:'));
    const data = lines.map((line) => line.slice('data:'.length).trimStart()).join('\n');
    if (data !== '') this.dispatchEvent(new MessageEvent('message', { data }));
  }
}
