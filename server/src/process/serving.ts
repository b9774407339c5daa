/** Runs one of several processes that serve behind a supervisor, which accepts the connections and hands them on. */
import { createHash } from 'node:crypto';
import { type Config, configFrom } from '../config.ts';
import { openProblem } from '../database/open-problem.ts';
import { ConfigError } from '../errors.ts';
import { databaseConnectionsOf } from '../fairness/capacity.ts';
import { connectToHost } from '../mcp/hosting/boundary/start-host.ts';
import type { SharedHost } from '../mcp/hosting/hosting.ts';
import { claimPort } from '../outbound/own-endpoints.ts';
import { offerSetUp } from '../platform/people/set-up/operations.ts';
import { resolveSettings } from '../settings/sources/resolve.ts';
import { sourcesOf } from '../settings/sources/sources.ts';
import { HandedConnections } from '../supervision/handed-connections.ts';
import type { SupervisorLink } from '../supervision/link.ts';
import type { Start } from '../supervision/messages.ts';
import { VERSION } from '../values/versions.ts';
import { attempt, inBackground } from '../watching/background.ts';
import { watchEventLoop } from '../watching/event-loop-watch.ts';
import { createLogger, type Logger, logDestination } from '../watching/logger.ts';
import { watchUnownedFaults } from '../watching/unowned-faults.ts';
import { createProcess, type ServerProcess } from './process.ts';
import { claimDatabase, ownHome, withHosting } from './start-steps.ts';

/** Longest time for a stop without a supervisor: nobody waits for the requests, and the next start needs the place. */
const ORPHANED_MILLISECONDS = 3000;
/** Time in addition to that of the requests. */
const STOP_SECONDS = 10;

/** Resolves when the process serves. The process ends when the supervisor tells it to, or has ended. */
export async function serveShare(link: SupervisorLink, start: Start): Promise<void> {
  // A terminal and a service manager signal all processes. Only the supervisor ends this one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.title = `signalbox process ${start.slot}`;
  let logger: Logger | undefined;
  let running: ServerProcess | undefined;
  const end = () => process.exit(0);
  link.whenLost(() => {
    setTimeout(end, ORPHANED_MILLISECONDS);
    logger?.error('the supervisor is gone: this process ends');
    const started = running;
    if (started) inBackground('the end of a process', () => stop(started).finally(end));
    else end();
  });
  const { config, hosting } = withHosting(configOf(start));
  ownHome(config.home);
  nameForCollectors(`${start.supervisor}-${start.slot}`);
  logger = createLogger(config.logLevel, await logDestination('json')).child({ process: start.slot });
  const connections = new HandedConnections((id) => link.closedConnection(id));
  running = await createProcess(config, {
    logger,
    share: {
      processes: start.processes,
      connections,
      host: sharedHost(link, start.supervisor),
      siblings: {
        tell: (origin, tables) => link.tellNews(origin, tables),
        hear: (heard) => link.follow({ news: heard }),
      },
    },
  }).catch((error: unknown) => {
    throw openProblem(config.databaseUrl, error);
  });
  const { app, server, metrics } = running;
  if (metrics) metrics.tellsShared = false;
  await claimDatabase(config.databaseUrl);
  for (const port of [start.port, ...start.ports]) claimPort(port);
  const setUpToken = start.offersSetUp ? await offerSetUp(server.store, server.clock.now()) : undefined;
  await app.ready();
  connections.serve(app.server);
  watchEventLoop(logger);
  watchUnownedFaults(logger, () => link.faulted());
  const measure = async () => (await metrics?.values()) ?? [];
  link.follow({
    connection: (id, socket) => connections.take(id, socket),
    lead: () => {
      if (metrics) metrics.tellsShared = true;
      running.startServices();
    },
    unready: () => server.requests.beginDrain('The server is stopping'),
    drain: async () => {
      setTimeout(end, (config.drainSeconds + STOP_SECONDS) * 1000);
      await stop(running, async () => link.measured(await measure()));
      end();
    },
    measure,
  });
  link.ready({ pid: process.pid, version: VERSION, hosting, setUpToken });
}

/** `quiet` is called when no request is open any more. */
async function stop(running: ServerProcess, quiet: () => Promise<void> = async () => {}): Promise<void> {
  await attempt('the end of connections', () => running.endConnections());
  await attempt('the last values of the metrics', quiet);
  await attempt('the end of a process', () => running.stop());
}

/** Collectors tell the metrics and spans of the processes apart by this attribute of OpenTelemetry. */
function nameForCollectors(instance: string): void {
  const { OTEL_RESOURCE_ATTRIBUTES: given = '' } = process.env;
  if (given.includes('service.instance.id')) return;
  const named = `service.instance.id=${instance}`;
  process.env['OTEL_RESOURCE_ATTRIBUTES'] = given === '' ? named : `${given},${named}`;
}

/** The settings, with this process's share of each divided limit. */
function configOf({ flags, port, slot, processes }: Start): Config {
  const sources = sourcesOf(flags, process.env);
  const config = configFrom(resolveSettings(sources), sources);
  const { peerPort } = config;
  return {
    ...config,
    port,
    // Each place has a port of its own, so that the ports to open are known.
    peerPort: peerPort === undefined || peerPort === 0 ? peerPort : peerPort + slot,
    databaseConnections: databaseConnectionsOf(config.databaseConnections, processes),
  };
}

/** The host of programs that the supervisor keeps. */
function sharedHost(link: SupervisorLink, supervisor: string): SharedHost {
  return {
    nameOf: (settings) =>
      createHash('sha256')
        .update(JSON.stringify([supervisor, VERSION, settings]))
        .digest('hex')
        .slice(0, 32),
    start: async (settings) => {
      const address = await link.host({ build: VERSION, settings });
      return {
        pid: address.pid,
        token: address.token,
        connect: () => connectToHost(address, () => !isRunning(address.pid)),
        abandon: () => {},
        end: async () => {},
      };
    },
    endsPrograms: () => link.endsHost().catch(() => false),
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The text for an operator; undefined for an error that only a programmer can correct. */
export function problemOf(error: unknown): string | undefined {
  return error instanceof ConfigError ? error.message : undefined;
}
