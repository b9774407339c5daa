/**
 * Sends requests to one address over several connections, one at a time on each, and prints a JSON line: requests per
 * second, the median in milliseconds, errors. `node load.mjs <url> <key> <connections> <seconds> <call|list>`
 */
import { connect } from 'node:net';

const [address, key, connections, seconds, operation] = process.argv.slice(2);
const { hostname, port, pathname } = new URL(address);
const WARM_SECONDS = 0.2;
const params = operation === 'list' ? {} : { name: 'echo', arguments: { text: 'hello world' } };
const method = operation === 'list' ? 'tools/list' : 'tools/call';

/** The header of a session, where the server opens one. */
async function openedSession() {
  const clientInfo = { name: 'load', version: '1' };
  const answer = await fetch(address, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    }),
  });
  await answer.text();
  const id = answer.headers.get('mcp-session-id');
  return id === null ? '' : `mcp-session-id: ${id}\r\n`;
}

const session = await openedSession();

function requestOf(id) {
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  return (
    `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${key}\r\n` +
    'accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\n' +
    session +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  );
}

const latencies = [];
let errors = 0;
let counting = false;
let ended = false;

function ask(socket) {
  let begun = 0;
  let id = 0;
  let text = '';
  let wanted = -1;
  const next = () => {
    begun = performance.now();
    text = '';
    wanted = -1;
    id += 1;
    socket.write(requestOf(id), 'latin1');
  };
  socket.on('data', (chunk) => {
    text += chunk.latin1Slice();
    if (wanted < 0) {
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      wanted = end + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    }
    if (text.length < wanted) return;
    if (counting) latencies.push(performance.now() - begun);
    if (!text.startsWith('HTTP/1.1 200') || !text.includes(`"id":${id}`)) errors += 1;
    if (!ended) next();
  });
  socket.on('error', () => {
    errors += 1;
  });
  socket.on('connect', next);
}

for (let index = 0; index < Number(connections); index++)
  ask(connect({ host: hostname, port: Number(port), noDelay: true }));
setTimeout(() => {
  counting = true;
  console.log('begin');
}, WARM_SECONDS * 1000);
setTimeout(
  () => {
    ended = true;
    latencies.sort((left, right) => left - right);
    const median = latencies[Math.floor(latencies.length / 2)];
    console.log(
      JSON.stringify({ requests: latencies.length, perSecond: Math.round(latencies.length / seconds), median, errors }),
    );
    process.exit(0);
  },
  (WARM_SECONDS + Number(seconds)) * 1000,
);
