/**
 * The upper bound: a proxy of node:http and undici that makes no decisions. `node bare-proxy.mjs
 * http://127.0.0.1:<port>`
 */
import { createServer } from 'node:http';
// biome-ignore lint/correctness/noUndeclaredDependencies: it is the server's own
import { Pool } from 'undici';

const pool = new Pool(process.argv[2], { connections: 512, pipelining: 1 });
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'host',
  'content-length',
  'authorization',
]);

const server = createServer((request, response) => {
  const headers = {};
  for (const name in request.headers) if (!HOP_BY_HOP.has(name)) headers[name] = request.headers[name];
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const body = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    pool.dispatch(
      { path: '/mcp', method: request.method, headers, body },
      {
        onRequestStart() {},
        onResponseStart(_controller, status, received) {
          const kept = {};
          for (const name in received)
            if (!HOP_BY_HOP.has(name) || name === 'content-length') kept[name] = received[name];
          response.writeHead(status, kept);
        },
        onResponseData(_controller, chunk) {
          response.write(chunk);
        },
        onResponseEnd() {
          response.end();
        },
        onResponseError() {
          response.destroy();
        },
      },
    );
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
