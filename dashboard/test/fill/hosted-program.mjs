// An MCP server over standard input and output, for the pages of hosted servers.
import { createInterface } from 'node:readline';

console.error(`started with GREETING ${process.env.GREETING === undefined ? 'unset' : 'set'}`);

const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'greeter', version: '1.0.0' },
  }),
  'tools/list': () => ({
    tools: [{ name: 'greet', inputSchema: { type: 'object', properties: { name: { type: 'string' } } } }],
  }),
  'tools/call': ({ arguments: given }) => ({ content: [{ type: 'text', text: `Hello, ${given?.name}!` }] }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const rest = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...rest })}\n`);
});
