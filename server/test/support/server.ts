/** A whole Signalbox without a socket, for tests that drive it through HTTP. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Config, readConfig } from '../../src/config.ts';
import { type Context, createContext, type Server } from '../../src/context/context.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import type { HostMaker } from '../../src/mcp/hosting/hosting.ts';
import type { HostedServers } from '../../src/mcp/upstream/hosted-servers.ts';
import { createProcess } from '../../src/process/process.ts';
import type { LocalTime, Timestamp } from '../../src/values/time.ts';
import { createLogger } from '../../src/watching/logger.ts';
import { isFullRun } from './full-run.ts';
import { inThisProcess } from './host-in-process.ts';
import { startPostgres } from './postgres.ts';
import { assertIndexed } from './row-choices.ts';
import { newPostgres, newSqlite } from './templates.ts';

/** The databases for tests of stored objects: PostgreSQL only where `npm test` found one. */
export const databases: readonly ('sqlite' | 'postgres')[] = process.env['SIGNALBOX_TEST_POSTGRES_URL']
  ? ['sqlite', 'postgres']
  : ['sqlite'];

/**
 * The databases for tests that show no lock and no race and whose statements the query builder writes: PostgreSQL in
 * the full run only. The quick run prepares each of those statements on both (prepared-statements.test.ts).
 */
export const databasesOfRun: typeof databases = isFullRun ? databases : ['sqlite'];

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  /** Parsed JSON, the text when it is not JSON, undefined when it is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is its own assertion
  readonly body: any;
  readonly text: string;
}

export interface TestServer {
  readonly server: Server;
  /** As a request would have it, or a background service whose clock shows `now`. */
  readonly context: (now?: Timestamp) => Context;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** Accepts connections on a free port and returns the websocket address of the API. */
  listen(): Promise<string>;
  /** Closes the sockets as a stopping server does. */
  closeSockets(): Promise<void>;
  /** Resolves once the requests to MCP servers that were answered so far are recorded, or could not be. */
  recordsWritten(): Promise<void>;
  /** Sends exactly this. */
  request(method: string, url: string, body?: string | Buffer, headers?: Record<string, string>): Promise<Answer>;
  stop(): Promise<void>;
}

export interface TestServerOptions {
  readonly database?: 'sqlite' | 'postgres';
  readonly config?: Partial<Config>;
  /** Receives every line of the log, of every level. */
  readonly onLogLine?: (line: string) => void;
  /** Another server's database: this one is a second replica on it. */
  readonly databaseUrl?: string;
  /** The machine's clocks; the real ones when absent. */
  readonly local?: LocalTime;
  /** The runner of servers of the kind `hosted`. */
  readonly hosted?: Pick<HostedServers, 'upstreamOf'>;
  /** Makes the host of foreign programs; in this process when absent. */
  readonly makeHost?: HostMaker;
  /** The schema that it knows: this one stands for an older or a newer version. */
  readonly migrations?: readonly Migration[];
}

/** Paths are below `/api`; text bodies are sent unchanged. */
export async function startServer({
  database = 'sqlite',
  config,
  onLogLine,
  hosted,
  databaseUrl: existingUrl,
  local,
  makeHost = inThisProcess(local && (() => local.elapsed())),
  migrations,
}: TestServerOptions = {}): Promise<TestServer> {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
  const postgres = database === 'postgres' ? await startPostgres() : undefined;
  const databaseUrl = existingUrl ?? (await (postgres ? newPostgres(postgres) : newSqlite(home)));
  const logger = onLogLine ? createLogger('trace', { write: onLogLine }) : createLogger('silent');
  const complete: Config = {
    ...readConfig({}, {}),
    home,
    databaseUrl,
    logLevel: 'silent',
    hosting: 'off',
    organizationCreation: 'everyone',
    ...config,
  };
  const running = await createProcess(complete, { logger, local, hosted, makeHost, migrations, durable: false });
  const { app, server, gateway } = running;
  const request: TestServer['request'] = async (method, url, body, headers = {}) => {
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers,
      payloadAsStream: true,
      ...(body === undefined ? {} : { payload: body }),
    });
    const text = await textOf(response.stream(), response.headers['content-type'] === 'text/event-stream');
    return { status: response.statusCode, headers: response.headers, text, body: parse(text) };
  };
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    request(
      method,
      `/api${path}`,
      body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    );
  return {
    server,
    context: (now) => {
      const context = createContext(server, server.defaultWorkspace);
      return now === undefined ? context : { ...context, now };
    },
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    put: (path, body) => send('PUT', path, body),
    patch: (path, body) => send('PATCH', path, body),
    delete: (path) => send('DELETE', path),
    request,
    listen: async () => `${(await app.listen({ port: 0, host: '127.0.0.1' })).replace('http', 'ws')}/api`,
    recordsWritten: () => gateway.writeRecords(),
    closeSockets: () => running.closeSockets(),
    stop: async () => {
      await assertIndexed(server.store).finally(() => running.stop());
      await postgres?.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** The whole answer, or the beginning of an endless one. */
async function textOf(stream: Readable, isEndless: boolean): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) {
    pieces.push(piece as Buffer);
    if (isEndless) break;
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
