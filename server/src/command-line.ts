import { parseArgs } from 'node:util';
import { ConfigError, flagOf, readConfig, resolveSettings, settings } from './config.ts';
import { startServer } from './server.ts';
import { endStartUp } from './start-up-memory.ts';

const USAGE = `signalbox server start [--port 4200] [--database-url sqlite:signalbox.db] …   serve until stopped
signalbox config [--json]                                                     every setting, its value and its source`;

/** Runs one command; resolves with the exit code. */
export async function commands(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parse(argv);
  const { json, ...flags } = values as Record<string, string | boolean | undefined>;
  switch (positionals.join(' ')) {
    case 'server start':
      return serveUntilStopped(flags as Record<string, string>);
    case 'config':
      return printConfig(flags as Record<string, string>, json === true);
    default:
      console.error(USAGE);
      return 2;
  }
}

function parse(argv: readonly string[]) {
  const names = Object.values(settings).map(({ name }) => [flagOf(name), { type: 'string' as const }]);
  try {
    return parseArgs({
      args: [...argv],
      options: { ...Object.fromEntries(names), json: { type: 'boolean' } },
      allowPositionals: true,
    });
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

async function serveUntilStopped(flags: Record<string, string>): Promise<number> {
  const running = await startServer(readConfig(flags, process.env));
  endStartUp();
  console.log(`Signalbox is ready.
  dashboard   ${running.url}/
  API         ${running.url}/api     (PREFECT_API_URL)
  API docs    ${running.url}/docs`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await running.stop();
  return 0;
}

function printConfig(flags: Record<string, string>, json: boolean): number {
  const rows = Object.values(resolveSettings(flags, process.env)).map(({ secret, ...setting }) => ({
    ...setting,
    value: secret && setting.value ? '********' : setting.value,
  }));
  if (json) console.log(JSON.stringify(rows, undefined, 2));
  else for (const { name, value, source } of rows) console.log(`${name.padEnd(32)} ${value || '(empty)'}  [${source}]`);
  return 0;
}
