import { createServer } from 'node:net';

const given = new Set<number>();
const KEPT_MILLISECONDS = 60_000;

/**
 * A port of the loopback address on which nothing listens and that was not used in the last minute. Another program may
 * still take it first, so the caller checks that its process answers.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await probe();
    if (given.has(port)) continue;
    given.add(port);
    setTimeout(() => given.delete(port), KEPT_MILLISECONDS).unref();
    return port;
  }
}

function probe(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
