/** A gateway with several servers behind it and a remix of them. */
import assert from 'node:assert/strict';
import {
  ask,
  type Call,
  ORGANIZATION,
  send,
  startGateway,
  type TestGateway,
  type TestGatewayOptions,
} from './gateway.ts';
import type { Answer } from './server.ts';
import { startWatchedUpstream, type WatchedUpstream, type WatchedUpstreamOptions } from './watched-upstream.ts';

export interface TestRemix {
  readonly gateway: TestGateway;
  /** The servers, by slug. */
  readonly sources: Readonly<Record<string, WatchedUpstream>>;
  /** Ids of the servers, by slug. */
  readonly ids: Readonly<Record<string, string>>;
  /** Stores a remix of these choices. */
  save(slug: string, sources: readonly object[], fields?: object): Promise<Answer>;
  stop(): Promise<void>;
}

export const EVERYTHING = { tools: {}, prompts: {}, resources: { subscribe: true }, logging: {}, completions: {} };

/** `sources`: the servers to start, by slug. */
export async function startRemix(
  sources: Readonly<Record<string, WatchedUpstreamOptions>>,
  options: TestGatewayOptions = {},
): Promise<TestRemix> {
  const gateway = await startGateway(options);
  const started: Record<string, WatchedUpstream> = {};
  const ids: Record<string, string> = {};
  for (const [slug, answers] of Object.entries(sources)) {
    const upstream = await startWatchedUpstream({ capabilities: EVERYTHING, ...answers });
    started[slug] = upstream;
    const { status, body, text } = await gateway.register(slug, { defaultRole: null }, upstream.url);
    assert.equal(status, 201, text);
    ids[slug] = body.id;
  }
  return {
    gateway,
    sources: started,
    ids,
    save: (slug, chosen, fields = {}) =>
      gateway.admin.post(`${ORGANIZATION}/servers`, {
        slug,
        name: slug,
        kind: 'remix',
        defaultRole: 'viewer',
        remix: { sources: chosen },
        ...fields,
      }),
    stop: async () => {
      await gateway.stop();
      for (const upstream of Object.values(started)) await upstream.stop();
    },
  };
}

/** Sends messages of one client in one of the two eras. */
export type Client = (method: string, params?: Record<string, unknown>, id?: string | number) => Promise<Answer>;

export async function sessionClient(gateway: TestGateway, slug: string, key: string): Promise<Client & Call> {
  const initial = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const { headers, text, status } = await send(gateway, slug, ask('initialize', initial), { key });
  assert.equal(status, 200, text);
  const call = { key, headers: { 'mcp-session-id': String(headers['mcp-session-id']) } };
  return Object.assign(
    (method: string, params?: Record<string, unknown>, id: string | number = 1) =>
      send(gateway, slug, ask(method, params, id), call),
    call,
  );
}

export const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

export function statelessClient(gateway: TestGateway, slug: string, key: string): Client {
  return (method, params = {}, id = 1) => {
    const name = params['name'] ?? params['uri'] ?? params['taskId'];
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    };
    return send(gateway, slug, ask(method, { ...params, _meta: MODERN }, id), { key, headers });
  };
}
