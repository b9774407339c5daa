/** A target of webhooks on this machine. */
import { createServer, type Server as HttpServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/**
 * Keeps the requests it got, and sends the header `x-key` back in the body and in a header; `/500` fails, and `/hang`
 * waits until it is released.
 */
export interface HttpTarget {
  readonly received: Received[];
  readonly url: string;
  /** Resolves once that many requests have come. */
  arrived(count: number): Promise<void>;
  letGo(): void;
  stop(): void;
}

export async function startHttpTarget(): Promise<HttpTarget> {
  const received: Received[] = [];
  const held: (() => void)[] = [];
  const server: HttpServer = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      received.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      const key = String(request.headers['x-key'] ?? '');
      const headers = { 'x-echo': key, 'set-cookie': 'session=handed-out' };
      const answer = () => response.writeHead(request.url?.startsWith('/500') ? 500 : 200, headers).end(`got ${key}`);
      if (request.url?.startsWith('/hang')) held.push(answer);
      else answer();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    received,
    url: `http://127.0.0.1:${port}`,
    arrived: async (count: number) => {
      while (received.length < count) await new Promise((resolve) => setImmediate(resolve));
    },
    letGo: () => {
      for (const answer of held.splice(0)) answer();
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
