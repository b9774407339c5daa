import { type Config, configFrom } from '../config.ts';
import { SET_UP_SECONDS } from '../platform/people/set-up/operations.ts';
import { type RunningServer, startServer } from '../process/server.ts';
import { resolveSettings } from '../settings/sources/resolve.ts';
import type { Resolved } from '../settings/sources/resolved.ts';
import { announceServer } from '../settings/sources/running.ts';
import { sourcesOf } from '../settings/sources/sources.ts';
import { counted } from '../values/counted.ts';
import { guarded } from '../watching/background.ts';
import { createLogger } from '../watching/logger.ts';
import { type Command, settingFlags } from './command.ts';

/** Time in which a server with a fault must stop, in addition to the time for its requests. */
const STOP_SECONDS = 10;
/** Seconds between checks for the process that started this one. */
const PARENT_SECONDS = 1;

export const serverCommands: readonly Command[] = [
  {
    words: 'server start',
    says: 'Run the server until it receives SIGINT or SIGTERM.',
    flags: [],
    json: true,
    async run(flags, json) {
      const sources = sourcesOf(settingFlags(flags), process.env);
      const resolved = resolveSettings(sources);
      const config = configFrom(resolved, sources);
      const running = await startServer(config);
      const withdraw = announced(running, config, resolved);
      if (json) console.log(JSON.stringify({ ...running, failed: undefined, stop: undefined }));
      else announce(running, config);
      const signaled = new Promise<void>((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
        whenNpmEnds(resolve);
      });
      const code = await Promise.race([signaled.then(() => 0), running.failed.then(() => 1)]);
      if (code !== 0) endAfter(config.drainDelaySeconds + config.drainSeconds + STOP_SECONDS, code);
      await running.stop();
      withdraw();
      if (code !== 0) process.exit(code);
      return code;
    },
  },
];

/**
 * Stops a server that `npm start` has started when its parent ends: npm passes a signal to the shell between them,
 * which ends and leaves the server without a parent.
 */
function whenNpmEnds(stop: () => void): void {
  const parent = process.ppid;
  if (process.env['npm_lifecycle_event'] !== 'start') return;
  const look = guarded('a check for the process that started this one', () => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  });
  const timer = setInterval(look, PARENT_SECONDS * 1000);
}

/**
 * Announces this server to commands in other terminals. The server runs even if that fails, for example on a full disk.
 */
function announced({ url, metricsUrl }: RunningServer, config: Config, resolved: Resolved): () => void {
  try {
    return announceServer(config.home, resolved, { url, metricsUrl, configPath: config.settingsFile?.path });
  } catch (error) {
    createLogger(config.logLevel).warn({ err: error }, 'commands in other terminals cannot find this server');
    return () => {};
  }
}

/**
 * Ends the process, because a server in a broken state may not be able to stop in order; its supervisor starts another.
 */
function endAfter(seconds: number, code: number): void {
  setTimeout(() => process.exit(code), seconds * 1000).unref();
}

function announce(running: RunningServer, config: Config): void {
  console.log(`Signalbox is ready.
  dashboard   ${running.url}/
  API         ${running.url}/api     (PREFECT_API_URL)
  API docs    ${running.url}/docs
  help        ${running.url}/help
  hosting     ${running.hosting}
  kept        ${keptText(config)}`);
  if (config.settingsFile) console.log(`  settings    ${config.settingsFile.path}`);
  if (running.metricsUrl !== undefined) console.log(`  metrics     ${running.metricsUrl}`);
  if (running.setUpUrl !== undefined) {
    console.log(`Nobody can sign in yet. Create the first administrator's account here. The link works once, for ${SET_UP_SECONDS / 3600} hours:
  set up      ${running.setUpUrl}`);
  }
}

/** The line at the start about the data that the server deletes, and when. */
function keptText({ retention, eventRetentionSeconds, runRetentionSeconds }: Config): string {
  const days = (seconds: number) => counted(Number((seconds / 86_400).toFixed(1)), 'day');
  const runs = retention.has('flow_runs') ? `ended flow runs ${days(runRetentionSeconds)}` : 'flow runs for ever';
  const events = retention.has('events') ? `events ${days(eventRetentionSeconds)}` : 'events for ever';
  return `${runs}, ${events} (SIGNALBOX_RETENTION)`;
}
