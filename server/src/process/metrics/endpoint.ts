/**
 * Serves the metrics at `/metrics` on an address of their own, without a credential: everyone who reaches it may read
 * them.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../../errors.ts';
import type { Metrics } from './metrics.ts';

const MOST_CONNECTIONS = 50;
const REQUEST_MILLISECONDS = 10_000;

export interface MetricsEndpoint {
  readonly port: number;
  close(): void;
}

/** Resolves when it listens. Throws ConfigError when the address is taken or does not belong to this machine. */
export async function serveMetrics(
  metrics: Pick<Metrics, 'text' | 'contentType'>,
  host: string,
  port: number,
): Promise<MetricsEndpoint> {
  const http = createServer(
    { requestTimeout: REQUEST_MILLISECONDS, headersTimeout: REQUEST_MILLISECONDS, keepAliveTimeout: 60_000 },
    (request, response) => {
      const [path] = (request.url ?? '').split('?');
      if (path !== '/metrics') {
        response.writeHead(404, { 'content-type': 'text/plain' }).end('The metrics are at /metrics.\n');
        return;
      }
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.writeHead(405, { allow: 'GET, HEAD' }).end();
        return;
      }
      metrics.text().then(
        (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
        () => response.writeHead(500, { 'content-type': 'text/plain' }).end('The metrics could not be read.\n'),
      );
    },
  );
  http.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    http.once('error', ({ message }) =>
      reject(
        new ConfigError(
          `The metrics cannot be served at ${host}:${port} (${message}). Choose another address with SIGNALBOX_METRICS_HOST and SIGNALBOX_METRICS_PORT.`,
        ),
      ),
    );
    http.listen({ host, port }, resolve);
  });
  http.unref();
  return {
    port: (http.address() as AddressInfo).port,
    close: () => {
      http.close();
      http.closeAllConnections();
    },
  };
}
