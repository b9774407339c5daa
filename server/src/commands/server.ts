import { type Config, readConfig, resolveSettings } from '../config.ts';
import { SET_UP_SECONDS } from '../platform/set-up/operations.ts';
import { type RunningServer, startServer } from '../server.ts';
import type { Command } from './command.ts';

/** Time that a server with a fault has to stop, besides the time for its requests. */
const STOP_SECONDS = 10;

export const serverCommands: readonly Command[] = [
  {
    words: 'server start',
    says: 'Run the server until it receives SIGINT or SIGTERM.',
    flags: [],
    json: true,
    async run(flags, json) {
      const config = readConfig(flags, process.env);
      const running = await startServer(config);
      if (json) console.log(JSON.stringify({ ...running, failed: undefined, stop: undefined }));
      else announce(running, config);
      const signaled = new Promise<void>((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
      });
      const code = await Promise.race([signaled.then(() => 0), running.failed.then(() => 1)]);
      if (code !== 0) endAfter(config.drainDelaySeconds + config.drainSeconds + STOP_SECONDS, code);
      await running.stop();
      if (code !== 0) process.exit(code);
      return code;
    },
  },
  {
    words: 'config',
    says: 'Print every setting with its value and where the value comes from.',
    flags: [],
    json: true,
    run(flags, json) {
      const rows = Object.values(resolveSettings(flags, process.env)).map(({ secret, ...setting }) => ({
        ...setting,
        value: secret && setting.value ? '********' : setting.value,
      }));
      if (json) console.log(JSON.stringify(rows, undefined, 2));
      else
        for (const { name, value, source } of rows)
          console.log(`${name.padEnd(32)} ${value || '(empty)'}  [${source}]`);
      return 0;
    },
  },
];

/** A server in a wrong state may not be able to stop in order; its supervisor starts another one. */
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
  if (running.metricsUrl !== undefined) console.log(`  metrics     ${running.metricsUrl}`);
  if (running.setUpUrl !== undefined) {
    console.log(`Nobody can sign in yet. Create the first administrator's account here. The link works once, for ${SET_UP_SECONDS / 3600} hours:
  set up      ${running.setUpUrl}`);
  }
}

/** Tells at the start which data the server deletes, and when. */
function keptText({ retention, eventRetentionSeconds, runRetentionSeconds }: Config): string {
  const days = (seconds: number) => `${Number((seconds / 86_400).toFixed(1))} days`;
  const runs = retention.has('flow_runs') ? `ended flow runs ${days(runRetentionSeconds)}` : 'flow runs for ever';
  const events = retention.has('events') ? `events ${days(eventRetentionSeconds)}` : 'events for ever';
  return `${runs}, ${events} (SIGNALBOX_RETENTION)`;
}
