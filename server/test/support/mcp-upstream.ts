/** A small MCP server behind the gateway: it has sessions, answers every tool call, and refuses to answer `break`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface McpUpstream {
  readonly url: string;
  stop(): void;
}

export async function startMcpUpstream(): Promise<McpUpstream> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const message = body === '' ? {} : JSON.parse(body);
      if (message.params?.name === 'break') return response.destroy();
      if (message.id === undefined) return response.writeHead(202).end();
      const initial = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'up' } };
      const result = message.method === 'initialize' ? initial : { content: [{ type: 'text', text: 'secret result' }] };
      const session = message.method === 'initialize' ? { 'mcp-session-id': 'of-the-upstream' } : {};
      response.writeHead(200, { 'content-type': 'application/json', ...session });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export interface McpClient {
  /** Status, x-request-id and the text of the answer. */
  call(method: string, params?: object): Promise<{ status: number; id: string; text: string }>;
}

/** A client with a session at a serving URL. */
export async function connectMcpClient(servingUrl: string, key: string, name = 'probe'): Promise<McpClient> {
  let session: string | undefined;
  let nextId = 1;
  const call: McpClient['call'] = async (method, params = {}) => {
    const answer = await fetch(servingUrl, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: nextId++, method, params }),
    });
    session ??= answer.headers.get('mcp-session-id') ?? undefined;
    return { status: answer.status, id: answer.headers.get('x-request-id') ?? '', text: await answer.text() };
  };
  const clientInfo = { name, version: '1.2' };
  await call('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  return { call };
}
