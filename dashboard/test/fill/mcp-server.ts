/** An MCP server for the pages: tools with several schemas, one that fails, one that is slow, resources and prompts. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RunningMcpServer {
  readonly url: string;
  /** Gives a tool another description; undefined: its own again. */
  describe(tool: string, description: string | undefined): void;
  stop(): Promise<void>;
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly uri?: string; readonly arguments?: Record<string, unknown> };
}

const tools = [
  {
    name: 'search_documents',
    title: 'Search documents',
    description: 'Finds documents that contain all words of the query.\nThe newest come first.',
    inputSchema: {
      type: 'object',
      required: ['query'],
      properties: {
        query: { type: 'string', title: 'Query', description: 'Words that the document contains.' },
        limit: { type: 'integer', title: 'Limit', minimum: 1, maximum: 50, default: 10 },
        kind: { type: 'string', title: 'Kind', enum: ['report', 'letter', 'invoice'] },
        archived: { type: 'boolean', title: 'Archived', default: false },
      },
    },
    outputSchema: { type: 'object', properties: { found: { type: 'integer' } } },
  },
  {
    name: 'add_numbers',
    description: 'Adds two numbers.',
    inputSchema: {
      type: 'object',
      required: ['left', 'right'],
      properties: { left: { type: 'number' }, right: { type: 'number' } },
    },
  },
  {
    name: 'delete_document',
    description: 'Deletes a document for good.',
    annotations: { destructiveHint: true },
    inputSchema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
  },
  { name: 'fail', description: 'Fails whenever it is called.', inputSchema: { type: 'object', properties: {} } },
  { name: 'ping', inputSchema: { type: 'object' } },
];

const resources = [
  { uri: 'docs://handbook', name: 'Handbook', description: 'How this team works.', mimeType: 'text/markdown' },
  { uri: 'docs://prices', name: 'Prices', mimeType: 'application/json' },
];

const prompts = [
  {
    name: 'summarize',
    description: 'Summarizes a document.',
    arguments: [{ name: 'id', description: 'Id of the document.', required: true }],
  },
];

/** A tool that a test adds: its definition, and the result of a call. */
export interface AddedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: object;
  readonly result?: object;
}

export async function startMcpServer(added: readonly AddedTool[] = []): Promise<RunningMcpServer> {
  const descriptions = new Map<string, string>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const message = JSON.parse(body) as Message;
      if (message.id === undefined) return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answerTo(message, descriptions, added) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    describe: (tool, description) => {
      if (description === undefined) descriptions.delete(tool);
      else descriptions.set(tool, description);
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerTo(
  { method, params }: Message,
  descriptions: ReadonlyMap<string, string>,
  added: readonly AddedTool[],
): object {
  const result = added.find(({ name }) => name === params?.name)?.result;
  if (method === 'tools/call' && result) return { result };
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {}, resources: {}, prompts: {} },
          serverInfo: { name: 'documents', version: '2.1.0' },
          instructions: 'Search before you delete. Ids of documents are stable.',
        },
      };
    case 'tools/list':
      return {
        result: {
          tools: [
            ...tools.map((tool) => ({ ...tool, description: descriptions.get(tool.name) ?? tool.description })),
            ...added.map(({ result: _, ...tool }) => tool),
          ],
        },
      };
    case 'resources/list':
      return { result: { resources } };
    case 'resources/templates/list':
      return { result: { resourceTemplates: [{ uriTemplate: 'docs://by-id/{id}', name: 'Document by id' }] } };
    case 'prompts/list':
      return { result: { prompts } };
    case 'tools/call':
      return call(params?.name ?? '', params?.arguments ?? {});
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}

function call(name: string, given: Record<string, unknown>): object {
  const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
  switch (name) {
    case 'search_documents':
      return {
        result: {
          ...text(`2 documents contain "${String(given['query'])}".`),
          structuredContent: { found: 2, ids: ['d-17', 'd-4'] },
        },
      };
    case 'add_numbers':
      return { result: text(String(Number(given['left']) + Number(given['right']))) };
    case 'delete_document':
      return { result: text(`Deleted ${String(given['id'])}.`) };
    case 'ping':
      return { result: text('pong <script>alert(1)</script>') };
    case 'fail':
      return { result: { ...text('The archive cannot be reached.'), isError: true } };
    default:
      return { error: { code: -32602, message: `Unknown tool: ${name}` } };
  }
}
