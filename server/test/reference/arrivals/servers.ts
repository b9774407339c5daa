/** The two servers that get the same events in the same order. */
import { setTimeout as delay } from 'node:timers/promises';

/** Of their APIs. */
export interface ServerUrls {
  readonly ours: string;
  readonly reference: string;
}

export interface ArrivalOutcome {
  /** Histories of events. */
  readonly compared: number;
  /** Each as it is printed. */
  readonly differences: readonly object[];
}

// biome-ignore lint/suspicious/noExplicitAny: answers of two servers
export async function post(url: string, path: string, body: unknown): Promise<any> {
  // The reference answers 503 while its SQLite file is locked.
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (answer.ok) return text === '' ? undefined : JSON.parse(text);
    if (answer.status !== 503 || attempt === 20) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
    await delay(500);
  }
}
