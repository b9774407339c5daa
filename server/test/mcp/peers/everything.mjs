/**
 * An MCP server that offers everything, on the official SDK, in both eras of the protocol. Prints its address once it
 * listens. It refuses foreign host names and pages, as a server on a developer's machine should.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { everything } from './everything-definition.mjs';

const stateless = createMcpHandler(() => everything(stateless.notify), { legacy: 'reject' });
const answerStateless = toNodeHandler(stateless);
const sessions = new Map();
const isOurHost = localhostHostValidation();
const isOurPage = localhostOriginValidation();

async function answerSession(request, response, body) {
  const id = request.headers['mcp-session-id'];
  if (id !== undefined && !sessions.has(id)) {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}');
    return;
  }
  await (sessions.get(id) ?? (await newSession())).handleRequest(request, response, body);
}

async function newSession() {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  await everything(undefined).connect(transport);
  return transport;
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const text = Buffer.concat(parts).toString('utf8');
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const server = createServer((request, response) => {
  if (!isOurHost(request, response) || !isOurPage(request, response)) return;
  void (async () => {
    const body = request.method === 'POST' ? await bodyOf(request) : undefined;
    if (await isLegacyRequest(await toWebRequest(request, body), body)) await answerSession(request, response, body);
    else await answerStateless(request, response, body);
  })().catch((error) => {
    console.error(error);
    response.destroy();
  });
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/mcp`);
});
