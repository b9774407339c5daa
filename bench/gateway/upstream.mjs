/** An MCP server with 20 tools that answers from memory, so that its own cost stays small. Prints its port. */
import { createServer } from 'node:http';

const tools = Array.from({ length: 20 }, (_, index) => ({
  name: index === 0 ? 'echo' : `tool_${String(index).padStart(2, '0')}`,
  description: `Tool number ${index} of a server that is asked a lot.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}));
const list = JSON.stringify({ tools });
const offers = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'bench', version: '1' },
};

function resultOf({ method, params }) {
  if (method === 'tools/list') return list;
  if (method === 'initialize') return JSON.stringify(offers);
  return JSON.stringify({ content: [{ type: 'text', text: params?.arguments?.text ?? '' }] });
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
    return;
  }
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const message = parts.length === 0 ? {} : JSON.parse(Buffer.concat(parts));
    if (message.id === undefined) return response.writeHead(202).end();
    if (message.method === 'server/discover') return response.writeHead(400).end();
    const body = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${resultOf(message)}}`;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    return response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
