/**
 * The built-in server, served by the official SDK in both eras of the protocol. It is loaded with the first request.
 */
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { ApiError } from '../../../errors.ts';
import { unknownCapability } from '../../protocol/named-capability.ts';
import { type Tool, ToolRefusal } from '../definition/tool.ts';
import { callTool, refusalOf, type ToolCall } from '../offer/call-tool.ts';
import { CAPABILITIES, INSTRUCTIONS, SERVER_INFO } from '../offer/manifest.ts';
import { listedPrompts, promptText } from '../offer/prompts.ts';
import { listedResources, listedTemplates, readResource } from '../offer/resources.ts';
import { findTool, listedTool, mayUse, tools } from '../offer/tools.ts';

/** One request: its call of tools, and the record of a call that the caller's role does not allow. */
export interface ProtocolCall extends Omit<ToolCall, 'mayUse'> {
  /** The decision of the server's policy. */
  allows(tool: string): boolean;
  readonly era: 'legacy' | 'modern';
  denied(reason: string): void;
  /** Logs a fault of this server. */
  fault(error: unknown): void;
}

export type ProtocolHandler = (request: Request, call: ProtocolCall) => Promise<Response>;

/** Each request has an SDK server of its own, so that no answer can reach another caller. */
export function createProtocolHandler(onFault: (error: Error) => void): ProtocolHandler {
  const handler = createMcpHandler(({ authInfo }) => serverFor(callIn(authInfo?.extra)), { onerror: onFault });
  return (request, call) =>
    handler.fetch(request, { authInfo: { token: '', clientId: call.caller.actor.id, scopes: [], extra: { call } } });
}

function callIn(extra: Readonly<Record<string, unknown>> | undefined): ProtocolCall {
  if (!extra) throw new Error('The SDK did not forward the caller.');
  return extra['call'] as ProtocolCall;
}

function serverFor(call: ProtocolCall): Server {
  const { api, caller } = call;
  const toolCall = { ...call, mayUse: (tool: Tool) => mayUse(tool, caller.role, api) && call.allows(tool.name) };
  const server = new Server(SERVER_INFO, { capabilities: CAPABILITIES, instructions: INSTRUCTIONS });
  server.setRequestHandler('tools/list', () => ({
    tools: tools.filter((tool) => mayUse(tool, caller.role, api)).map(listedTool) as never,
  }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = findTool(params.name);
    if (!tool) throw unknown(call, 'tool', params.name);
    if (!mayUse(tool, caller.role, api)) {
      call.denied(`the role ${caller.role} in the workspace`);
      return refusalOf(
        `Your role in the workspace is ${caller.role}, which does not allow ${tool.name}. An administrator of the workspace can grant the role editor.`,
      ) as never;
    }
    return (await guarded(call, () => callTool(tool, params.arguments, toolCall))) as never;
  });
  server.setRequestHandler('resources/list', () => ({ resources: listedResources(caller.role, api) }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: listedTemplates(caller.role, api),
  }));
  server.setRequestHandler('resources/read', async ({ params }) => {
    const content = await guarded(call, () => readResource(params.uri, toolCall));
    if (!content) throw unknown(call, 'resource', params.uri);
    return { contents: [{ ...content }] };
  });
  server.setRequestHandler('prompts/list', () => ({ prompts: listedPrompts() }));
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const prompt = await guarded(call, () => promptText(params.name, params.arguments ?? {}, toolCall));
    if (!prompt) throw unknown(call, 'prompt', params.name);
    const { description, text } = prompt;
    return { description, messages: [{ role: 'user', content: { type: 'text', text } }] };
  });
  return server;
}

/** Gives the gateway's error for an unknown name. */
function unknown({ era }: ProtocolCall, kind: 'tool' | 'prompt' | 'resource', name: string): ProtocolError {
  const { code, message, data } = unknownCapability({ kind, name }, era);
  return new ProtocolError(code, message, data);
}

/**
 * Turns a tool's refusal into a protocol error, for answers without another place for it. The SDK would show the caller
 * the text of any other error.
 */
async function guarded<T>(call: ProtocolCall, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolRefusal || error instanceof ApiError) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    }
    call.fault(error);
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error');
  }
}
