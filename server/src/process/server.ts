import { setTimeout as pause } from 'node:timers/promises';
import { platformRoutes } from '../app.ts';
import { Hub } from '../changes/hub.ts';
import { announceTo } from '../changes/replicas.ts';
import type { Config } from '../config.ts';
import type { PlatformChange } from '../context/platform-context.ts';
import { openProblem } from '../database/open-problem.ts';
import { openExistingStore } from '../database/opening/connect.ts';
import { lockForServer, type ServerLock } from '../database/opening/server-lock.ts';
import { openClock } from '../database/shared-clock.ts';
import { ensureDefaultWorkspace } from '../database/workspaces.ts';
import { createEncryption } from '../encryption/encryption.ts';
import { Keyring } from '../encryption/keyring.ts';
import { callPlatform } from '../http/local-platform-api.ts';
import { lostWithFirstAccount, type PrivateTargets } from '../identity/targets/private-targets.ts';
import { listen, reachableUrl } from '../network/listen.ts';
import { installBlockCollection } from '../orchestration/blocks/types/block-collection.ts';
import { claimPort } from '../outbound/own-endpoints.ts';
import { createOperatorContext, type OperatorContext, operatorContextFor } from '../platform/operator/operator.ts';
import { operatorRoutes } from '../platform/operator/routes.ts';
import { offerSetUp } from '../platform/people/set-up/operations.ts';
import { ensureBuiltinServer } from '../platform/servers/server/builtin-server.ts';
import { type Rotation, rotateSecrets } from '../platform/stored-secrets/rotate.ts';
import { watchEventLoop } from '../watching/event-loop-watch.ts';
import { createLogger, logDestination } from '../watching/logger.ts';
import { UNOWNED_FAULT, watchUnownedFaults } from '../watching/unowned-faults.ts';
import { type Import, type Report, runImport } from './import/import.ts';
import { type Kept, Target } from './import/target.ts';
import type { MetricsEndpoint } from './metrics/endpoint.ts';
import { createProcess, type ServerProcess } from './process.ts';
import { type StartedServer, setUpUrl } from './start-message.ts';
import { claimDatabase, ownHome, tellSettings, withHosting } from './start-steps.ts';

export interface RunningServer extends StartedServer {
  /**
   * Resolves after an uncaught exception that may have left the server in a wrong state, so that it must be stopped.
   */
  readonly failed: Promise<void>;
  /**
   * Reports at `/api/ready` that it stops, and after SIGNALBOX_DRAIN_DELAY_SECONDS accepts no new requests, gives open
   * ones time to finish and closes the database.
   */
  stop(): Promise<void>;
}

/**
 * Opens the database, listens, and resolves when it answers requests. Throws ConfigError for a fault that the operator
 * can correct; the process then ends, which closes everything that it opened.
 */
export async function startServer(config: Config): Promise<RunningServer> {
  const lock = lockServer(config);
  try {
    return await start(config, lock);
  } catch (error) {
    lock.abandon();
    // Damage may only show when the first rows are read.
    throw openProblem(config.databaseUrl, error);
  }
}

function lockServer({ home, databaseUrl }: Config): ServerLock {
  try {
    ownHome(home);
    return lockForServer(databaseUrl);
  } catch (error) {
    throw openProblem(databaseUrl, error);
  }
}

async function start(given: Config, lock: ServerLock): Promise<RunningServer> {
  const { config, hosting } = withHosting(given);
  const logger = createLogger(config.logLevel, await logDestination(config.logFormat));
  tellSettings(config, logger);
  const running = await createProcess(config, { logger });
  logger.info({ hosting: config.hosting }, `hosting of MCP servers is ${hosting}`);
  const { app, server } = running;
  // Steps that can fail come first: a server that has answered once must not end because the database is away.
  await claimDatabase(config.databaseUrl);
  const setUpToken = await offerSetUp(server.store, server.clock.now());
  await listen((address) => app.listen(address), config);
  const metrics = await metricsAt(running, config);
  // Watches from here on: the start compiles for longer than a turn may take, and no request waits yet.
  const endWatch = watchEventLoop(logger);
  running.startServices();
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : config.port;
  const url = reachableUrl(config.host, port) + config.basePath;
  const releasePort = claimPort(port);
  const failed = Promise.withResolvers<void>();
  const endFaults = watchUnownedFaults(logger, () => {
    server.requests.beginDrain(UNOWNED_FAULT);
    failed.resolve();
  });
  return {
    url,
    failed: failed.promise,
    metricsUrl: metrics && `${reachableUrl(config.metricsHost, metrics.port)}/metrics`,
    hosting,
    setUpUrl: setUpToken && setUpUrl(config, url, setUpToken),
    stop: async () => {
      server.requests.beginDrain('The server is stopping');
      await pause(config.drainDelaySeconds * 1000);
      await running.stop();
      metrics?.close();
      lock.release();
      releasePort();
      endWatch();
      endFaults();
    },
  };
}

/** Serves the metrics if they are on. Users' targets do not lead there. */
async function metricsAt(running: ServerProcess, config: Config): Promise<MetricsEndpoint | undefined> {
  if (!running.metrics || config.metricsPort === undefined) return undefined;
  const { serveMetrics } = await import('./metrics/endpoint.ts');
  const endpoint = await serveMetrics(running.metrics, config.metricsHost, config.metricsPort);
  const release = claimPort(endpoint.port);
  return {
    port: endpoint.port,
    close: () => {
      endpoint.close();
      release();
    },
  };
}

/** The address on which a server with these settings listens. */
export function ownUrl({ host, port }: Config): string {
  return reachableUrl(host, port);
}

/** Seconds for which imported rows are kept; undefined: forever. */
function keptSeconds({ retention, eventRetentionSeconds, runRetentionSeconds }: Config): Kept {
  return {
    events: retention.has('events') ? eventRetentionSeconds : undefined,
    flow_runs: retention.has('flow_runs') || retention.has('logs') ? runRetentionSeconds : undefined,
  };
}

type ImportRequest = Pick<Import, 'source' | 'since' | 'activates' | 'onProgress'> & { readonly isDry: boolean };

/** The database for the commands of operators, which may run beside a server. */
export interface Operator {
  context(): OperatorContext;
  /** Answers a request of the platform API as the operator; see `callPlatform`. */
  call(request: {
    readonly method: string;
    readonly path: string;
    readonly body: string | undefined;
  }): Promise<unknown>;
  /** The targets that the first account would switch off; undefined if there are none. */
  lostTargets(): Promise<PrivateTargets | undefined>;
  rotateSecrets(onProgress: (done: number, total: number) => void): Promise<Rotation>;
  /** Fills the workspace with this key from a Prefect server. */
  importInto(workspace: number, given: ImportRequest): Promise<Report>;
  close(): Promise<void>;
}

export async function openOperator(config: Config): Promise<Operator> {
  const store = await openExistingStore(config.databaseUrl);
  const clock = await openClock(store);
  const now = () => clock.now();
  const hub = new Hub();
  // A running server hears it on PostgreSQL; on SQLite its services look by themselves.
  if (store.replicas) announceTo(store.replicas, hub);
  const server: PlatformChange['server'] = {
    defaultWorkspace: await ensureDefaultWorkspace(store, clock),
    hub,
    prepareWorkspace: async (workspace) => {
      await installBlockCollection({
        now: now(),
        db: store.reads(workspace),
        transaction: (work) => store.transaction(workspace, work),
      });
      await ensureBuiltinServer(store, workspace, now());
    },
  };
  const context = () => createOperatorContext(store, now(), server);
  return {
    context,
    call: (request) =>
      callPlatform([...operatorRoutes, ...platformRoutes], (org) => operatorContextFor(context(), org), request),
    lostTargets: () => lostWithFirstAccount(store, createEncryption(config), config),
    importInto: (workspace, { isDry, ...given }) =>
      runImport({
        ...given,
        target: new Target(store, clock, workspace, { isDry, kept: keptSeconds(config) }),
        encryption: createEncryption(config),
        hub,
      }),
    rotateSecrets: (onProgress) => rotateSecrets({ store, keyring: new Keyring(config), clock, onProgress }),
    close: () => {
      clock.stop();
      return store.close();
    },
  };
}
