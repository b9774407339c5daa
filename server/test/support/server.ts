/** A whole Signalbox without a socket, for tests that drive it through HTTP. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountRoutes, pages, platformRoutes, prepareWorkspace, recorders, routes, sockets } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { type Context, createContext, type Server } from '../../src/context.ts';
import { limitsOf, openStore } from '../../src/database/connect.ts';
import { openClock } from '../../src/database/shared-clock.ts';
import { ensureDefaultWorkspace } from '../../src/database/workspaces.ts';
import { EventHub } from '../../src/events/hub.ts';
import { EventIntake } from '../../src/events/intake.ts';
import { createHttpServer } from '../../src/http/http-server.ts';
import { registerSockets } from '../../src/http/websocket.ts';
import { AccessChanges } from '../../src/identity/access-changes.ts';
import { Attempts } from '../../src/identity/attempts.ts';
import { BasicCredential } from '../../src/identity/basic-credential.ts';
import { KeyUsage } from '../../src/identity/key-usage.ts';
import { Passwords } from '../../src/identity/passwords.ts';
import { TargetPolicies } from '../../src/identity/target-policy.ts';
import { createLogger } from '../../src/logger.ts';
import { Gateway } from '../../src/mcp/gateway/gateway.ts';
import { Hosting } from '../../src/mcp/hosting/hosting.ts';
import { Connections } from '../../src/mcp/upstream/connections.ts';
import type { HostedServers } from '../../src/mcp/upstream/hosted-servers.ts';
import { BodyReceiver } from '../../src/network/receive-body.ts';
import { RequestsUnderWay } from '../../src/network/requests-under-way.ts';
import { createEncryption } from '../../src/secrets/encryption.ts';
import { ServerChanges } from '../../src/server-changes.ts';
import type { LocalTime, Timestamp } from '../../src/time.ts';
import { WakeUps } from '../../src/wake-ups.ts';
import { startPostgres } from './postgres.ts';

/** The databases that tests of stored things run on: PostgreSQL only where `npm test` found one. */
export const databases: readonly ('sqlite' | 'postgres')[] = process.env['SIGNALBOX_TEST_POSTGRES_URL']
  ? ['sqlite', 'postgres']
  : ['sqlite'];

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  /** Parsed JSON, the text when it is none, undefined when there is nothing. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is its own assertion
  readonly body: any;
  readonly text: string;
}

export interface TestServer {
  readonly server: Server;
  /** As a request would have it, or a background service whose clock says `now`. */
  readonly context: (now?: Timestamp) => Context;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** Takes connections on a port of its own and answers the websocket address of the API. */
  listen(): Promise<string>;
  /** Ends the sockets as a stopping server does. */
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
  /** Given every line of the log, of every level. */
  readonly onLogLine?: (line: string) => void;
  /** Another server's database: this one is a second replica on it. */
  readonly databaseUrl?: string;
  /** What the machine's clocks say; its own when absent. */
  readonly local?: LocalTime;
  /** What runs the servers of the kind `hosted`. */
  readonly hosted?: Pick<HostedServers, 'upstreamOf'>;
}

/** Paths are below `/api`; bodies that are text are sent as they are. */
export async function startServer({
  database = 'sqlite',
  config,
  onLogLine,
  hosted,
  databaseUrl: existingUrl,
  local,
}: TestServerOptions = {}): Promise<TestServer> {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
  const postgres = database === 'postgres' ? await startPostgres() : undefined;
  const databaseUrl =
    existingUrl ?? (postgres ? await postgres.createDatabase() : `sqlite:${join(home, 'signalbox.db')}`);
  const hub = new EventHub();
  const wakeUps = new WakeUps();
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
  const store = await openStore(databaseUrl, undefined, limitsOf(complete));
  const clock = await openClock(store, local);
  const encryption = createEncryption(complete);
  const serverChanges = new ServerChanges();
  const targets = new TargetPolicies(store, complete);
  const hosting = new Hosting({ config: complete, store, clock, logger, encryption, serverChanges, targets });
  const attempts = new Attempts(store, clock);
  const upstreams = new Connections({ store, encryption, serverChanges }, hosted ?? hosting, { targets });
  const server: Server = {
    config: complete,
    encryption,
    store,
    clock,
    wakeUps,
    serverChanges,
    accessChanges: new AccessChanges(store),
    targets,
    upstreams,
    hosting,
    requests: new RequestsUnderWay(complete.maxRequests),
    bodies: new BodyReceiver(complete),
    keyUsage: new KeyUsage(store, clock, logger),
    attempts,
    basicCredential: new BasicCredential(attempts),
    passwords: new Passwords(),
    hub,
    logger,
    intake: new EventIntake({ store, clock, hub, wakeUps, logger, recorders }),
    defaultWorkspace: await ensureDefaultWorkspace(store, clock),
    prepareWorkspace: (workspace) => prepareWorkspace(createContext(server, workspace)),
  };
  await server.prepareWorkspace(server.defaultWorkspace);
  const gateway = new Gateway(server);
  const app = createHttpServer(server, '/api', routes, { platformRoutes, accountRoutes, pages, gateway });
  const openSockets = registerSockets(app.server, server, '/api', sockets);
  const request: TestServer['request'] = async (method, url, body, headers = {}) => {
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers,
      ...(body === undefined ? {} : { payload: body }),
    });
    return { status: response.statusCode, headers: response.headers, text: response.body, body: parse(response.body) };
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
    closeSockets: () => openSockets.close(),
    stop: async () => {
      gateway.endStreams();
      await Promise.all([app.close(), openSockets.close()]);
      await gateway.close();
      await upstreams.close();
      await server.hosting.close();
      await server.intake.close();
      clock.stop();
      await store.close();
      await postgres?.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
