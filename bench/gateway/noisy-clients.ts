/** The clients of `noisy-programs.ts`: a process that measures the waits at one URL, or that reads all that programs send. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { putBehind } from '../../server/src/mcp/hosting/host/machine/priority.ts';
import { watchDelay } from '../../server/test/faults/harness.ts';

export interface Work {
  readonly headers: Readonly<Record<string, string>>;
  /** What is measured; nothing is where it is absent. */
  readonly url?: string;
  readonly programs: readonly { readonly url: string; readonly pushes: boolean }[];
}

export interface Measured {
  readonly p99Milliseconds: number;
  readonly longestMilliseconds: number;
  readonly statuses: readonly (readonly [status: number, count: number])[];
  /** By the programs, in bytes. */
  readonly read: number;
}

let read = 0;
const [work] = (await once(process, 'message')) as [Work];
if (work.url === undefined) putBehind(process.pid);
const watched = work.url === undefined ? undefined : watchDelay(work.url, work.headers);
await Promise.race([once(process, 'message'), ...work.programs.map(readAll)]);
const { statuses, ...delays } = (await watched?.stop()) ?? { statuses: [] };
const measured = { p99Milliseconds: 0, longestMilliseconds: 0, ...delays, statuses: [...statuses], read };
process.send?.(measured satisfies Measured, () => process.exit());

/** Goes on until the process ends. */
async function readAll({ url, pushes }: Work['programs'][number]): Promise<never> {
  const headers = { ...work.headers, accept: 'application/json, text/event-stream' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const post = (body: object, session = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, ...session },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    });
  for (;;) {
    const begun = await post({ id: 1, method: 'initialize', params });
    await begun.arrayBuffer();
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    for (let id = 2, status = begun.status; status === 200; id++) {
      const answer = pushes
        ? await fetch(url, { headers: { ...headers, ...session } })
        : await post({ id, method: 'tools/call', params: { name: 'text', arguments: {} } }, session);
      status = answer.status;
      for await (const piece of answer.body ?? []) read += piece.length;
    }
    await delay(100);
  }
}
