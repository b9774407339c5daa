/**
 * An MCP server whose tool `endless` answers with as many bytes as the request asks for, in the form it asks for. It
 * writes no faster than the reader reads. `GET /sent` answers the number of bytes written so far. Prints its port.
 */
import { createServer } from 'node:http';

const offers = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'endless', version: '1' },
};
const list = { tools: [{ name: 'endless', inputSchema: { type: 'object' } }] };
const CHUNK_BYTES = 65_536;
let sent = 0;

/** The beginning, the repeated part and the end. */
function formOf(form, id) {
  const events = (bytes) =>
    Buffer.from(
      `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${'x'.repeat(bytes)}"}}\n\n`.repeat(
        Math.ceil(CHUNK_BYTES / bytes),
      ),
    );
  const result = `{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`;
  if (form === 'events') return { begin: '', chunk: events(4096), end: `data: ${result}\n\n` };
  if (form === 'small-events') return { begin: '', chunk: events(16), end: `data: ${result}\n\n` };
  return {
    begin: `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`,
    chunk: Buffer.alloc(CHUNK_BYTES, 'x'),
    end: '"}]}}',
  };
}

function answerEndless(response, id, { form, bytes }) {
  const { begin, chunk, end } = formOf(form, id);
  response.writeHead(200, { 'content-type': form === 'json' ? 'application/json' : 'text/event-stream' });
  response.write(begin);
  let left = bytes;
  const more = () => {
    while (left > 0) {
      left -= chunk.length;
      sent += chunk.length;
      if (!response.write(chunk)) return;
    }
    response.end(end);
  };
  response.on('drain', more);
  more();
}

const server = createServer((request, response) => {
  if (request.method === 'GET') return response.end(request.url === '/sent' ? String(sent) : '');
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const { id, method, params } = parts.length === 0 ? {} : JSON.parse(Buffer.concat(parts));
    if (id === undefined) return response.writeHead(202).end();
    if (method === 'server/discover') return response.writeHead(400).end();
    if (method === 'tools/call') return answerEndless(response, id, params.arguments);
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'tools/list' ? list : offers }));
  });
});
// Keeps idle connections open while the machine is busy.
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
