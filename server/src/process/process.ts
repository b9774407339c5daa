/**
 * Assembles one process of Signalbox: the database, the state that requests share, the HTTP side and background
 * services. The program and the tests both use it, so both stop in the same order.
 */
import type { FastifyInstance } from 'fastify';
import {
  accountRoutes,
  completeWorkspaces,
  createServices,
  pages,
  platformRoutes,
  prepareWorkspace,
  recorders,
  routes,
  sockets,
  webhookReceiver,
} from '../app.ts';
import { Hub } from '../changes/hub.ts';
import { announceTo, followFrom } from '../changes/replicas.ts';
import type { Config } from '../config.ts';
import { createContext, type Server } from '../context/context.ts';
import type { Migration } from '../database/migrations/migration.ts';
import { limitsOf, openStore } from '../database/opening/connect.ts';
import type { Siblings } from '../database/replica-feed.ts';
import { openClock } from '../database/shared-clock.ts';
import type { Store } from '../database/store.ts';
import { ensureDefaultWorkspace } from '../database/workspaces.ts';
import { createEncryption } from '../encryption/encryption.ts';
import { Keyring } from '../encryption/keyring.ts';
import { EventIntake } from '../events/intake.ts';
import { capacityOf } from '../fairness/capacity.ts';
import { BodyReceiver } from '../fairness/receive-body.ts';
import { RequestsUnderWay } from '../fairness/requests-under-way.ts';
import { UnsentBytes } from '../fairness/unsent-bytes.ts';
import { EventStreams } from '../http/answer/event-streams.ts';
import { createHttpServer } from '../http/http-server.ts';
import { LocalApi } from '../http/local-api.ts';
import { registerSockets } from '../http/sockets/websocket.ts';
import { OpenThings } from '../identity/access/open-things.ts';
import { WorkspaceAccessReader } from '../identity/access/workspace-access.ts';
import { BasicCredential } from '../identity/callers/basic-credential.ts';
import { Passwords } from '../identity/callers/passwords.ts';
import { KeyUsage } from '../identity/keys/key-usage.ts';
import { TargetPolicies } from '../identity/targets/target-policy.ts';
import { Mail } from '../mail/mail.ts';
import { PersonalUpstreams } from '../mcp/credentials/personal-upstreams.ts';
import { Gateway } from '../mcp/gateway/gateway.ts';
import { Hosting, type HostMaker, type SharedHost } from '../mcp/hosting/hosting.ts';
import { servePrograms } from '../mcp/hosting/sharing/serve-programs.ts';
import { Connections } from '../mcp/upstream/connections.ts';
import type { HostedServers } from '../mcp/upstream/hosted-servers.ts';
import { checkKeyFile } from '../orchestration/admin/encryption-key.ts';
import { Peers } from '../peers/peers.ts';
import { Authorization } from '../platform/oauth/authorization.ts';
import { consentPages } from '../platform/oauth/page-routes.ts';
import { Attempts } from '../rates/attempts.ts';
import { makePartitions } from '../services/old-rows/partitions.ts';
import { type RunningServices, startServices } from '../services/runner.ts';
import type { HandedConnections } from '../supervision/handed-connections.ts';
import type { Clock, LocalTime } from '../values/time.ts';
import { logFaults } from '../watching/background.ts';
import type { Logger } from '../watching/logger.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { MetricsSending } from './metrics/otlp.ts';
import type { Tracing } from './tracing/tracing.ts';

/** The parts of a process in addition to its settings. */
interface ProcessParts {
  readonly logger: Logger;
  /** The clocks; by default those of this machine. */
  readonly local?: LocalTime | undefined;
  /** The runner of MCP servers of the kind `hosted`; by default this process. */
  readonly hosted?: Pick<HostedServers, 'upstreamOf'> | undefined;
  /** The host of foreign programs; by default one in a separate process. */
  readonly makeHost?: HostMaker | undefined;
  /** The schema that it knows, to act as another version in tests. */
  readonly migrations?: readonly Migration[] | undefined;
  /** False if commits of SQLite do not wait for the disk. */
  readonly durable?: boolean | undefined;
  /** The place of this process among those of one server; undefined if it is alone. */
  readonly share?: ProcessShare | undefined;
}

/** One of several processes that serve on this machine. */
interface ProcessShare {
  /** Their number, by which they divide limits. */
  readonly processes: number;
  readonly connections: HandedConnections;
  readonly host: SharedHost;
  readonly siblings: Siblings;
}

export interface ServerProcess {
  readonly server: Server;
  /** Answers requests. It is not listening yet. */
  readonly app: FastifyInstance;
  readonly gateway: Gateway;
  /** Undefined if the settings turn metrics off. */
  readonly metrics: Metrics | undefined;
  /** Starts the passes of the background services that the settings name. */
  startServices(): void;
  /** Accepts no new websockets, and closes open ones so that clients reconnect. */
  closeSockets(): Promise<void>;
  /**
   * Ends streams and sockets so that clients come again, and each connection that was handed to this process after its
   * next answer, so that no request is refused: the next connections go to other processes.
   */
  endConnections(): Promise<void>;
  /** Accepts no new requests, gives open ones time to finish, and closes everything that `createProcess` opened. */
  stop(): Promise<void>;
}

/** Opens the database and assembles the process. Throws ConfigError, and leaves nothing open, if that fails. */
export async function createProcess(config: Config, parts: ProcessParts): Promise<ServerProcess> {
  const { logger } = parts;
  const note = (migration: string) =>
    logger.info({ migration }, 'the database is being migrated, which takes a while if it is large');
  const store = await openStore(
    config.databaseUrl,
    note,
    { ...limitsOf(config), durable: parts.durable, siblings: parts.share?.siblings },
    parts.migrations,
  );
  let clock: Clock | undefined;
  try {
    clock = await openClock(store, parts.local);
    return await assemble(config, parts, store, clock);
  } catch (error) {
    // SQLite leaves files behind if it is not closed.
    clock?.stop();
    await store.close();
    throw error;
  }
}

async function assemble(config: Config, parts: ProcessParts, store: Store, clock: Clock): Promise<ServerProcess> {
  const { logger } = parts;
  const defaultWorkspace = await ensureDefaultWorkspace(store, clock);
  await checkKeyFile(store.reads(defaultWorkspace), config);
  const keyring = new Keyring(config);
  const encryption = createEncryption(config, keyring);
  const endFaults = logFaults(logger);
  const hub = new Hub(() => clock.elapsed());
  if (store.replicas) {
    announceTo(store.replicas, hub);
    followFrom(store.replicas, hub);
  }
  const peers = store.replicas && new Peers(store.replicas.origin, { config, store, clock, hub, logger, keyring });
  const targets = new TargetPolicies(store, config);
  const hosting = new Hosting({
    ...{ config, store, clock, logger, encryption, hub, targets, peers },
    makeHost: parts.makeHost,
    sharedHost: parts.share?.host,
  });
  const openThings = new OpenThings(store, clock);
  const connections = new Connections({ store, encryption, hub }, parts.hosted ?? hosting, { targets });
  const upstreams = new PersonalUpstreams({ store, clock, encryption, targets, openThings }, connections);
  const attempts = new Attempts(store, clock);
  const capacity = capacityOf(config, parts.share?.processes);
  const server: Server = {
    config,
    store,
    logger,
    encryption,
    clock,
    capacity,
    openThings,
    targets,
    upstreams,
    hosting,
    requests: new RequestsUnderWay(capacity.requests, () => clock.elapsed()),
    bodies: new BodyReceiver(config, capacity),
    unsent: new UnsentBytes({ most: capacity.streamBytes }),
    workspaceAccess: new WorkspaceAccessReader(store),
    keyUsage: new KeyUsage(store, clock, logger),
    attempts,
    basicCredential: new BasicCredential(attempts),
    passwords: new Passwords(capacity),
    mail: new Mail({ config: config.mail, attempts, logger, capacity }),
    hub,
    intake: new EventIntake({ store, clock, hub, logger, recorders: Object.values(recorders) }),
    defaultWorkspace,
    prepareWorkspace: (workspace) => prepareWorkspace(createContext(server, workspace)),
  };
  await server.prepareWorkspace(defaultWorkspace);
  await makePartitions(server, clock.now());
  await completeWorkspaces(server);
  const gateway = new Gateway({ ...server, peers, workspaceApi: new LocalApi(server, routes) });
  const authorization = new Authorization(server);
  const streams = new EventStreams(server);
  const app = createHttpServer(server, '/api', routes, {
    platformRoutes,
    accountRoutes,
    pages: [...pages, ...consentPages(authorization)],
    hooks: webhookReceiver,
    gateway,
    authorization,
    streams,
  });
  await peers?.start(hosting.name, {
    request: (request, response) => app.server.emit('request', request, response),
    other: (request, response) => servePrograms(hosting, request, response),
  });
  const openSockets = registerSockets(app.server, server, '/api', sockets);
  const metrics = await metricsOf(server, app, () => openSockets.openByPath());
  const tracing = await tracingOf(config, app);
  const sending = await sendingOf(server, metrics);
  let services: RunningServices | undefined;
  return {
    server,
    app,
    gateway,
    metrics,
    startServices: () => {
      services ??= startServices(server, createServices(server));
    },
    closeSockets: () => openSockets.close(),
    endConnections: async () => {
      gateway.endStreams();
      streams.close();
      await Promise.all([openSockets.close(), parts.share?.connections.end(config.drainSeconds * 1000)]);
    },
    stop: async () => {
      const drained = setTimeout(() => app.server.closeAllConnections(), config.drainSeconds * 1000);
      gateway.endStreams();
      await Promise.all([peers?.leave(), app.close(), openSockets.close(), services?.stop()]);
      parts.share?.connections.destroy();
      await server.mail.close();
      clearTimeout(drained);
      // Ends requests whose readers have gone, so that their records are written before the database closes.
      await Promise.all([connections.close(), hosting.close()]);
      await peers?.stop();
      await gateway.close();
      await server.intake.close();
      await sending?.close();
      metrics?.close();
      await tracing?.close();
      clock.stop();
      await store.close();
      endFaults();
    },
  };
}

async function tracingOf(config: Config, app: FastifyInstance): Promise<Tracing | undefined> {
  if (!config.tracing) return undefined;
  const { startTracing } = await import('./tracing/tracing.ts');
  return startTracing(app, process.env);
}

async function sendingOf(
  { config, logger }: Server,
  metrics: Metrics | undefined,
): Promise<MetricsSending | undefined> {
  if (!metrics || !config.metricsSending) return undefined;
  const { sendMetrics } = await import('./metrics/otlp.ts');
  return sendMetrics(() => metrics.values(), process.env, logger);
}

/** Loads the library only if it is used. */
async function metricsOf(
  server: Server,
  app: FastifyInstance,
  openSockets: () => ReadonlyMap<string, number>,
): Promise<Metrics | undefined> {
  if (server.config.metricsPort === undefined && !server.config.metricsSending) return undefined;
  const { Metrics } = await import('./metrics/metrics.ts');
  return new Metrics({ server, app, openSockets });
}
