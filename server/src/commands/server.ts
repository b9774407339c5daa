import { type Config, configFrom } from '../config.ts';
import { type RunningServer, startServer } from '../process/server.ts';
import { announce } from '../process/start-message.ts';
import { resolveSettings } from '../settings/sources/resolve.ts';
import type { Resolved } from '../settings/sources/resolved.ts';
import { announceServer } from '../settings/sources/running.ts';
import { sourcesOf } from '../settings/sources/sources.ts';
import { processesOf } from '../supervision/process-count.ts';
import { becomeSupervisor } from '../supervisor/become.ts';
import { whenNpmEnds } from '../supervisor/signals.ts';
import { guarded } from '../watching/background.ts';
import { createLogger } from '../watching/logger.ts';
import { type Command, settingFlags } from './command.ts';

/** Time in which a server with a fault must stop, in addition to the time for its requests. */
const STOP_SECONDS = 10;

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
      if (processesOf(config) > 1) becomeSupervisor({ flags: settingFlags(flags), json });
      const running = await startServer(config);
      const withdraw = announced(running, config, resolved);
      if (json) console.log(JSON.stringify({ ...running, failed: undefined, stop: undefined }));
      else announce(running, config);
      const signaled = new Promise<void>((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
        whenNpmEnds(resolve);
      });
      refuseRestarts(config);
      const code = await Promise.race([signaled.then(() => 0), running.failed.then(() => 1)]);
      if (code !== 0) endAfter(config.drainDelaySeconds + config.drainSeconds + STOP_SECONDS, code);
      await running.stop();
      withdraw();
      if (code !== 0) process.exit(code);
      return code;
    },
  },
];

/** A service manager that asks for a restart without failed connections gets an answer, and not the end of the server. */
function refuseRestarts({ logLevel }: Config): void {
  if (process.stdin.isTTY || process.stderr.isTTY) return;
  const answer = () =>
    createLogger(logLevel).warn(
      'SIGHUP restarts the processes of a server one after another, and this server is one process: restart the service, or set SIGNALBOX_PROCESSES',
    );
  process.on('SIGHUP', guarded('the answer to SIGHUP', answer));
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
