/** The program of the supervisor. `server start` becomes it when the settings ask for several processes. */
import { type Config, configFrom } from '../config.ts';
import { ConfigError } from '../errors.ts';
import { asCalled } from '../invocation.ts';
import { announce, type StartedServer } from '../process/start-message.ts';
import { resolveSettings } from '../settings/sources/resolve.ts';
import type { Resolved } from '../settings/sources/resolved.ts';
import { announceServer } from '../settings/sources/running.ts';
import { sourcesOf } from '../settings/sources/sources.ts';
import { processesOf } from '../supervision/process-count.ts';
import { logFaults } from '../watching/background.ts';
import { createLogger, logSink } from '../watching/logger.ts';
import { watchUnownedFaults } from '../watching/unowned-faults.ts';
import type { SupervisorGiven } from './become.ts';
import { watchSignals } from './signals.ts';
import { Supervisor } from './supervisor.ts';

/** The settings that the supervisor itself follows until its next start. */
const OWN = ['host', 'port', 'home', 'databaseUrl', 'metricsHost', 'metricsPort', 'processes'] as const;

const { flags, json } = JSON.parse(process.argv[2] ?? '{}') as SupervisorGiven;
process.title = 'signalbox supervisor';
process.exitCode = await run().catch((error: unknown) => {
  if (!(error instanceof ConfigError)) throw error;
  console.error(asCalled(error.message));
  process.exit(2);
});

async function run(): Promise<number> {
  const { config, resolved } = settings();
  const log = await logSink(config.logFormat);
  const logger = createLogger(config.logLevel, log).child({ process: 'supervisor' });
  logFaults(logger);
  const processes = processesOf(config);
  const supervisor = new Supervisor({ config, processes, flags, logger, log });
  process.once('exit', () => log.flush());
  const ended = Promise.withResolvers<number>();
  watchUnownedFaults(logger, () => ended.resolve(1));
  watchSignals({
    stop: () => ended.resolve(0),
    kill: () => supervisor.kill(),
    restart: () => {
      const problem = problemOfRestart(config);
      if (problem !== undefined) logger.error(problem);
      else supervisor.restart().catch((error: unknown) => logger.error({ err: error }, 'the restart failed'));
    },
  });
  const started = await Promise.race([
    supervisor.start().catch((error: unknown) => {
      supervisor.kill();
      throw error;
    }),
    ended.promise,
  ]);
  let withdraw = () => {};
  if (typeof started !== 'number') {
    withdraw = announceServer(config.home, resolved, { ...started, configPath: config.settingsFile?.path });
    tell(started, config);
  }
  const code = await ended.promise;
  if (typeof started === 'number') supervisor.kill();
  await supervisor.stop();
  withdraw();
  return code;
}

function settings(): { readonly config: Config; readonly resolved: Resolved } {
  const sources = sourcesOf(flags, process.env);
  const resolved = resolveSettings(sources);
  return { config: configFrom(resolved, sources), resolved };
}

function tell(started: StartedServer, config: Config): void {
  if (json) console.log(JSON.stringify(started));
  else announce(started, config);
}

/** The reason why new processes would not serve with the settings as they are now; undefined if they would. */
function problemOfRestart(config: Config): string | undefined {
  try {
    const { config: next } = settings();
    const changed = OWN.filter((key) => next[key] !== config[key]);
    if (changed.length === 0) return undefined;
    return `these settings have changed, which needs a restart of the service: ${changed.join(', ')}; the processes go on`;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return `the settings have a fault, so the processes go on with the old ones: ${error.message}`;
  }
}
