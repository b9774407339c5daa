/**
 * An MCP server for tests of the gateway: it keeps each request byte for byte, and answers a small set of capabilities,
 * or any answer that a test sets.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One that returns false leaves the request to the MCP server. */
export type Answering = (request: SeenRequest, response: ServerResponse, raw: IncomingMessage) => unknown;

export interface WatchedUpstream {
  readonly url: string;
  readonly port: number;
  readonly seen: SeenRequest[];
  /** Number of TCP connections. */
  connections(): number;
  /** The streams that GET requests opened. */
  readonly streams: ServerResponse[];
  /** Resolves once that many streams are open. */
  streaming(count: number): Promise<void>;
  /** Names of the tools that were called. */
  called(): string[];
  /** Answers in this way from now on; undefined: as an MCP server again. */
  answerWith(answering: Answering | undefined): void;
  stop(): Promise<void>;
}

export interface WatchedUpstreamOptions {
  /** Requests are answered with the events of a stream. */
  readonly events?: boolean;
  readonly tools?: readonly string[];
  /** The capabilities that it declares; none unless given. */
  readonly capabilities?: Readonly<Record<string, object>>;
}

const SESSION = 'upstream-session';

export async function startWatchedUpstream(options: WatchedUpstreamOptions = {}): Promise<WatchedUpstream> {
  const seen: SeenRequest[] = [];
  const streams: ServerResponse[] = [];
  let answering: Answering | undefined;
  let connections = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      seen.push(one);
      if (answering && answering(one, response, request) !== false) return;
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        streams.push(response);
        return;
      }
      answer(one, response, options);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    seen,
    connections: () => connections,
    streams,
    streaming: async (count) => {
      while (streams.length < count) await new Promise((resolve) => setImmediate(resolve));
    },
    called: () => seen.flatMap(({ body }) => (body === '' ? [] : calledIn(JSON.parse(body)))),
    answerWith: (given) => {
      answering = given;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly uri?: string; readonly arguments?: unknown };
}

function calledIn(body: Message | Message[]): string[] {
  return (Array.isArray(body) ? body : [body]).flatMap(({ method, params }) =>
    method === 'tools/call' ? [params?.name ?? ''] : [],
  );
}

function answer({ method, body }: SeenRequest, response: ServerResponse, options: WatchedUpstreamOptions): void {
  if (method === 'DELETE') return void response.writeHead(200).end();
  const given = JSON.parse(body) as Message | Message[];
  const messages = (Array.isArray(given) ? given : [given]).filter(({ id, method }) => id !== undefined && method);
  if (messages.length === 0) return void response.writeHead(202).end();
  const answers = messages.map((message) => ({ jsonrpc: '2.0', id: message.id, result: resultOf(message, options) }));
  const session = messages.some(({ method }) => method === 'initialize') ? { 'mcp-session-id': SESSION } : {};
  if (options.events) {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...session });
    for (const one of answers) response.write(`event: message\ndata: ${JSON.stringify(one)}\n\n`);
    return void response.end();
  }
  response.writeHead(200, { 'content-type': 'application/json', ...session });
  response.end(JSON.stringify(Array.isArray(given) ? answers : answers[0]));
}

/** Names of all its tools, resources and prompts, by kind. */
export const offered = {
  tools: ['echo', 'read_file', 'delete_file', 'Echo'],
  prompts: ['greet', 'secret_prompt'],
  resources: ['mem://open/1', 'mem://closed/1'],
  resourceTemplates: ['mem://open/{id}', 'mem://closed/{id}'],
};

function resultOf(
  { method, params }: Message,
  { tools = offered.tools, capabilities = {} }: WatchedUpstreamOptions,
): unknown {
  switch (method) {
    case 'server/discover':
      return {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities,
        ttlMs: 0,
        cacheScope: 'private',
      };
    case 'initialize':
      return { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'upstream', version: '1' } };
    case 'tools/list':
      return {
        tools: tools.map((name) => ({ name, inputSchema: { type: 'object' }, annotations: { priority: 1.0 } })),
      };
    case 'prompts/list':
      return { prompts: offered.prompts.map((name) => ({ name })) };
    case 'resources/list':
      return { resources: offered.resources.map((uri) => ({ uri, name: uri })) };
    case 'resources/templates/list':
      return {
        resourceTemplates: offered.resourceTemplates.map((uriTemplate) => ({ uriTemplate, name: uriTemplate })),
      };
    case 'tools/call':
      return { content: [{ type: 'text', text: JSON.stringify(params?.arguments ?? params?.name) }] };
    default:
      return { of: method, name: params?.name ?? params?.uri };
  }
}
