/** Sends one message of the stateless revision of the protocol through the gateway, with the session of the person. */
import { csrfToken } from '../../api/csrf-token.ts';
import { serverFacts } from '../../api/server-facts.ts';
import { platformPath } from '../../api/workspace.ts';
import type { ServerPath } from '../queries.ts';
import { headerText, messagesIn } from './tool-message.ts';

const VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol/';

export interface ToolAnswer {
  readonly status: number;
  /** Id of the record of the request. */
  readonly requestId: string | undefined;
  readonly milliseconds: number;
  /** The whole JSON-RPC answer. */
  readonly message: Readonly<Record<string, unknown>>;
  /** Notifications before the answer. */
  readonly notifications: readonly unknown[];
}

/** Throws an error if the server does not answer with a valid MCP message. */
export async function callTool(
  { org, server }: ServerPath,
  name: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: args,
      _meta: {
        [`${META}protocolVersion`]: VERSION,
        [`${META}clientInfo`]: { name: 'signalbox-dashboard', version: serverFacts.version },
        [`${META}clientCapabilities`]: {},
      },
    },
  };
  const began = performance.now();
  const response = await fetch(`${platformPath}/organizations/${org}/servers/${server}/mcp`, {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': headerText(name),
      'x-csrf-token': csrfToken() ?? '',
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const messages = messagesIn(text, response.headers.get('content-type') ?? '');
  const isAnswer = (message: Record<string, unknown>) => 'result' in message || 'error' in message;
  const message = messages.find(isAnswer);
  if (!message) throw new Error(`The server answered ${response.status} without a message.`);
  return {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    milliseconds: performance.now() - began,
    message,
    notifications: messages.filter((one) => !isAnswer(one)),
  };
}
