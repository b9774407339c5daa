/** A Signalbox with an MCP server behind its gateway, and its callers. */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { HttpUpstream } from '../../src/mcp/upstream/http-upstream.ts';
import { type PlatformCaller, person } from './platform.ts';
import { type Answer, startServer, type TestServer, type TestServerOptions } from './server.ts';
import { startWatchedUpstream, type WatchedUpstream, type WatchedUpstreamOptions } from './watched-upstream.ts';

export interface TestGateway {
  readonly server: TestServer;
  readonly upstream: WatchedUpstream;
  /** Administrator of the organization. */
  readonly admin: PlatformCaller & { readonly id: string };
  /** Registers a server; the address is the upstream's unless another one is given. */
  register(slug: string, fields?: Record<string, unknown>, url?: string): Promise<Answer>;
  /** A member whose key gives the access of their grants and defaults. */
  member(email: string): Promise<PlatformCaller & { readonly id: string }>;
  allow(slug: string, ...rules: Rule[]): Promise<void>;
  /** The address that it listens on; with two servers, the address of the next one in turn. */
  readonly origin: string;
  /** The addresses of all its servers. */
  readonly origins: readonly string[];
  /** Stops the second of two servers. */
  stopSecond(): Promise<void>;
  /** Sends exactly this over a reused connection, as clients do. */
  request(method: string, path: string, body?: string | Buffer, headers?: Record<string, string>): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Rule {
  readonly role?: 'viewer' | 'editor';
  readonly actorId?: string;
  readonly capability: 'tool' | 'prompt' | 'resource';
  readonly pattern: string;
  readonly effect: 'allow' | 'deny';
}

export const ORGANIZATION = '/organizations/default';

export interface TestGatewayOptions extends TestServerOptions {
  /** True for two servers on one PostgreSQL database, to which requests go in turn. */
  readonly hasSecond?: boolean;
  readonly answers?: WatchedUpstreamOptions;
}

/** With this variable, every test of the gateway has two servers. */
const ALWAYS_TWO = process.env['SIGNALBOX_TEST_REPLICAS'] === '2';

/** Private targets are allowed, because the upstream is on this machine. */
export async function startGateway({
  answers,
  config,
  hasSecond = ALWAYS_TWO,
  ...given
}: TestGatewayOptions = {}): Promise<TestGateway> {
  const options: TestServerOptions = hasSecond ? { ...given, database: 'postgres' } : given;
  const upstream = await startWatchedUpstream(answers);
  const hosted = await HttpUpstream.open(new URL(upstream.url), {
    allowPrivate: true,
    answerSeconds: 10,
    connections: 100,
    maxAnswerBytes: 1024 * 1024,
  });
  const shared = { allowPrivateTargets: true, ...config };
  const first = await startServer({
    ...options,
    config: shared,
    hosted: { upstreamOf: () => Promise.resolve(hosted) },
  });
  const { databaseUrl, home } = first.server.config;
  const second = hasSecond
    ? await startServer({
        ...options,
        databaseUrl,
        config: { ...shared, home },
        hosted: { upstreamOf: () => Promise.resolve(hosted) },
      })
    : undefined;
  const server: TestServer = {
    ...first,
    recordsWritten: async () => {
      await Promise.all([first.recordsWritten(), second?.recordsWritten()]);
    },
  };
  const admin = await person(server, 'admin@example.com', 'admin');
  const listening = await Promise.all([first, second].map(async (one) => one && originOf(await one.listen())));
  const origins = listening.filter((one) => one !== undefined);
  let turn = 0;
  const next = () => origins[turn++ % origins.length]!;
  const agent = new Agent({ keepAlive: true });
  let isStopped = second === undefined;
  const stopSecond = async () => {
    if (!isStopped) await second?.stop();
    isStopped = true;
    origins.length = 1;
  };
  return {
    server,
    get origin() {
      return next();
    },
    origins,
    request: (...sent) => exchange(agent, next(), ...sent),
    upstream,
    admin,
    register: (slug, fields = {}, url = upstream.url) =>
      admin.post(`${ORGANIZATION}/servers`, {
        slug,
        name: slug,
        kind: 'external',
        defaultRole: 'viewer',
        ...(fields['kind'] === 'hosted' ? {} : { external: { url } }),
        ...fields,
      }),
    member: (email) => person(server, email, 'member'),
    allow: async (slug, ...rules) => {
      const listed = rules.map((rule) => ({ role: rule.actorId === undefined ? 'viewer' : null, ...rule }));
      const { status, text } = await admin.put(`${ORGANIZATION}/servers/${slug}/policy`, { rules: listed });
      if (status !== 200) throw new Error(text);
    },
    stopSecond: async () => {
      await stopSecond();
    },
    stop: async () => {
      agent.destroy();
      await stopSecond();
      await server.stop();
      await hosted.close();
      await upstream.stop();
    },
  };
}

function originOf(url: string): string {
  return new URL(url.replace('ws', 'http')).origin;
}

function exchange(
  agent: Agent,
  origin: string,
  method: string,
  path: string,
  body?: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ agent, hostname, port, method, path, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed(text) });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function servingUrl(slug: string): string {
  return `/servers/default/${slug}/mcp`;
}

export interface Call {
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

/** Sends a message, or exactly this text, and returns the answer. */
export function send(gateway: TestGateway, slug: string, body: unknown, { key, headers }: Call = {}): Promise<Answer> {
  return gateway.request('POST', servingUrl(slug), typeof body === 'string' ? body : JSON.stringify(body), {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...headers,
  });
}

export function ask(method: string, params?: Record<string, unknown>, id: string | number = 1) {
  return { jsonrpc: '2.0', id, method, ...(params ? { params } : {}) };
}

export function callTool(name: string, given: Record<string, unknown> = {}, id: string | number = 1) {
  return ask('tools/call', { name, arguments: given }, id);
}

export interface OpenedStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The text received so far. */
  text(): string;
  /** Resolves once the text contains this. */
  holds(text: string): Promise<void>;
  /** Resolves when the other side has ended it: true when it was complete, false when it broke off. */
  readonly ended: Promise<boolean>;
  close(): void;
}

/** Opens a stream over its own connection. */
export function openStream(
  { origin }: TestGateway,
  slug: string,
  { key, headers }: Call,
  method = 'GET',
  body?: unknown,
): Promise<OpenedStream> {
  const url = new URL(servingUrl(slug), origin);
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method,
      agent: false,
      headers: {
        accept: 'application/json, text/event-stream',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      let ready = () => {};
      response.setEncoding('utf8');
      response.on('data', (part) => {
        text += part;
        ready();
      });
      response.on('error', () => {});
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: () => text,
        holds: async (wanted) => {
          while (!text.includes(wanted)) {
            await new Promise<void>((arrived) => {
              ready = arrived;
            });
          }
        },
        ended: new Promise((done) => response.once('close', () => done(response.complete))),
        close: () => request.destroy(),
      });
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
