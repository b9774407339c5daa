import { lookup } from 'node:dns/promises';
import { accountRoutes, pages, platformRoutes, prepareWorkspace, recorders, routes, services, sockets } from './app.ts';
import { type Config, ConfigError } from './config.ts';
import { createContext, type Server } from './context.ts';
import { limitsOf, openExistingStore, openStore } from './database/connect.ts';
import { openProblem } from './database/open-problem.ts';
import { lockForServer, type ServerLock } from './database/server-lock.ts';
import { openClock } from './database/shared-clock.ts';
import { ensureDefaultWorkspace } from './database/workspaces.ts';
import { watchEventLoop } from './event-loop-watch.ts';
import { EventHub } from './events/hub.ts';
import { EventIntake } from './events/intake.ts';
import { createHttpServer } from './http/http-server.ts';
import { listen, reachableUrl } from './http/listen.ts';
import { registerSockets } from './http/websocket.ts';
import { AccessChanges } from './identity/access-changes.ts';
import { Attempts } from './identity/attempts.ts';
import { BasicCredential } from './identity/basic-credential.ts';
import { KeyUsage } from './identity/key-usage.ts';
import { Passwords } from './identity/passwords.ts';
import { TargetPolicies } from './identity/target-policy.ts';
import { createLogger } from './logger.ts';
import { Gateway } from './mcp/gateway/gateway.ts';
import { Hosting } from './mcp/hosting/hosting.ts';
import { decideHosting } from './mcp/hosting/runner/mode.ts';
import { Connections } from './mcp/upstream/connections.ts';
import { BodyReceiver } from './network/receive-body.ts';
import { RequestsUnderWay } from './network/requests-under-way.ts';
import { checkKeyFile } from './orchestration/admin/encryption-key.ts';
import { installBlockCollection } from './orchestration/blocks/types/block-collection.ts';
import { claimEndpoint, claimPort } from './outbound/own-endpoints.ts';
import { createOperatorContext, type OperatorContext } from './platform/operator.ts';
import { type Rotation, rotateSecrets } from './platform/secrets/rotate.ts';
import { offerSetUp } from './platform/set-up/operations.ts';
import type { PlatformChange } from './platform-context.ts';
import { createEncryption } from './secrets/encryption.ts';
import { Keyring } from './secrets/keyring.ts';
import { ServerChanges } from './server-changes.ts';
import { startServices } from './services/runner.ts';
import { makeHome, tightenHome } from './settings/home-folder.ts';
import { WakeUps } from './wake-ups.ts';

export interface RunningServer {
  /** `http://127.0.0.1:4200`: where it is reached, also when it listens on every address. */
  readonly url: string;
  /** Where the first administrator makes an account, once; undefined where somebody can sign in. */
  readonly setUpUrl: string | undefined;
  /** Whether and how programs of users run here, and why. */
  readonly hosting: string;
  /** Takes no new requests, gives those under way time to finish, closes the database. */
  stop(): Promise<void>;
}

/**
 * Opens the database, listens, and resolves when requests are answered. Throws ConfigError for what the operator can set
 * right; the process then ends, and what was opened with it.
 */
export async function startServer(config: Config): Promise<RunningServer> {
  const lock = lockServer(config);
  try {
    return await start(config, lock);
  } catch (error) {
    lock.abandon();
    // Damage may be met only where the first rows are read.
    throw openProblem(config.databaseUrl, error);
  }
}

function lockServer({ home, databaseUrl }: Config): ServerLock {
  try {
    // What the server writes is for its own user, whatever the shell that started it says.
    process.umask(0o077);
    makeHome(home);
    tightenHome(home);
    return lockForServer(databaseUrl);
  } catch (error) {
    throw openProblem(databaseUrl, error);
  }
}

async function start(given: Config, lock: ServerLock): Promise<RunningServer> {
  const decision = decideHosting(given);
  if ('problem' in decision) throw new ConfigError(decision.problem);
  const config = { ...given, hosting: decision.mode, hostingNetwork: decision.network };
  const logger = createLogger(config.logLevel);
  const store = await openStore(
    config.databaseUrl,
    (migration) => {
      logger.info({ migration }, 'the database is brought up to date, which takes a while where there is much in it');
    },
    limitsOf(config),
  );
  const clock = await openClock(store);
  const hub = new EventHub();
  const wakeUps = new WakeUps();
  const defaultWorkspace = await ensureDefaultWorkspace(store, clock);
  try {
    await checkKeyFile(store.reads(defaultWorkspace), config);
  } catch (error) {
    // SQLite leaves files of its own where it is not closed.
    clock.stop();
    await store.close();
    throw error;
  }
  const encryption = createEncryption(config);
  const serverChanges = new ServerChanges();
  logger.info({ hosting: decision.mode }, `hosting of MCP servers is ${decision.sentence}`);
  const targets = new TargetPolicies(store, config);
  const hosting = new Hosting({ config, store, clock, logger, encryption, serverChanges, targets });
  const upstreams = new Connections({ store, encryption, serverChanges }, hosting, { targets });
  const attempts = new Attempts(store, clock);
  const server: Server = {
    config,
    store,
    logger,
    encryption,
    clock,
    wakeUps,
    serverChanges,
    accessChanges: new AccessChanges(store),
    targets,
    upstreams,
    hosting,
    requests: new RequestsUnderWay(config.maxRequests),
    bodies: new BodyReceiver(config),
    keyUsage: new KeyUsage(store, clock, logger),
    attempts,
    basicCredential: new BasicCredential(attempts),
    passwords: new Passwords(),
    hub,
    intake: new EventIntake({ store, clock, hub, wakeUps, logger, recorders }),
    defaultWorkspace,
    prepareWorkspace: (workspace) => prepareWorkspace(createContext(server, workspace)),
  };
  await server.prepareWorkspace(server.defaultWorkspace);
  const gateway = new Gateway(server);
  const app = createHttpServer(server, '/api', routes, { platformRoutes, accountRoutes, pages, gateway });
  const openSockets = registerSockets(app.server, server, '/api', sockets);
  // Whatever can fail comes first: a server that has answered once does not end because the database is away.
  await claimDatabase(config.databaseUrl);
  const setUpToken = await offerSetUp(store, clock.now());
  await listen(app, config);
  // A start compiles for longer than a turn may take, and nobody waits for an answer yet.
  const endWatch = watchEventLoop(logger);
  const runningServices = startServices(server, services);
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : config.port;
  const url = reachableUrl(config.host, port);
  const releasePort = claimPort(port);
  return {
    url,
    hosting: decision.sentence,
    setUpUrl: setUpToken && `${config.publicUrl || url}/setup?token=${setUpToken}`,
    stop: async () => {
      const drained = setTimeout(() => app.server.closeAllConnections(), config.drainSeconds * 1000);
      gateway.endStreams();
      await Promise.all([app.close(), openSockets.close(), runningServices.stop()]);
      clearTimeout(drained);
      // Ends what readers have left and not yet finished, so that its records are there to be written.
      await Promise.all([upstreams.close(), server.hosting.close()]);
      await gateway.close();
      await server.intake.close();
      clock.stop();
      await store.close();
      lock.release();
      releasePort();
      endWatch();
    },
  };
}

/** What cannot be resolved now is not a target of users either: it is not claimed. */
async function claimDatabase(databaseUrl: string): Promise<void> {
  const url = databaseUrl.startsWith('postgres') ? URL.parse(databaseUrl) : null;
  if (!url) return;
  const host = url.hostname.replace(/^\[|\]$/g, '') || 'localhost';
  const addresses = await lookup(host, { all: true }).catch(() => []);
  for (const { address } of addresses) claimEndpoint(address, Number(url.port || 5432));
}

/** The database for the commands of operators, also beside a server that runs on it. */
export interface Operator {
  context(): OperatorContext;
  rotateSecrets(onProgress: (done: number, total: number) => void): Promise<Rotation>;
  close(): Promise<void>;
}

export async function openOperator(config: Config): Promise<Operator> {
  const store = await openExistingStore(config.databaseUrl);
  const clock = await openClock(store);
  const now = () => clock.now();
  const server: PlatformChange['server'] = {
    defaultWorkspace: await ensureDefaultWorkspace(store, clock),
    // Services of a running server come by themselves.
    wakeUps: new WakeUps(),
    prepareWorkspace: (workspace) =>
      installBlockCollection({
        now: now(),
        db: store.reads(workspace),
        transaction: (work) => store.transaction(workspace, work),
      }),
  };
  return {
    context: () => createOperatorContext(store, now(), server),
    rotateSecrets: (onProgress) => rotateSecrets({ store, keyring: new Keyring(config), clock, onProgress }),
    close: () => {
      clock.stop();
      return store.close();
    },
  };
}
