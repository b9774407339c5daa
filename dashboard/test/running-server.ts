/** A real server in its own process, on a free port, with its own home. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { program } from '../../server/test/support/bundle.ts';
import { freePort } from '../../server/test/support/free-port.ts';
import { until } from '../../server/test/support/until.ts';

const READY_WITHIN_SECONDS = 30;

/** Root hosts programs in the sandbox only. */
export const HOSTING = process.getuid?.() === 0 ? 'sandbox' : 'process';

export interface RunningServer {
  readonly url: string;
  readonly home: string;
  /** The setup link that a server without accounts prints. */
  readonly setUpUrl: string | undefined;
  /** Runs an operator's command on the server's database and returns its output. */
  command(...words: string[]): Promise<string>;
  stop(): Promise<void>;
}

/**
 * `settings`: further environment variables, `SIGNALBOX_…`. Throws with the log when the server does not become ready.
 */
export async function startServer(
  home: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const port = settings['SIGNALBOX_PORT'] ?? (await freePort());
  const environment = { ...clean(), SIGNALBOX_HOME: home, SIGNALBOX_PORT: String(port), ...settings };
  const child = run(['server', 'start'], environment);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  await until('the server is ready', () => isReady(url, child), READY_WITHIN_SECONDS).catch((error: Error) => {
    child.kill('SIGKILL');
    throw new Error(`${error.message}\n${lines.join('\n')}`);
  });
  return {
    url,
    home,
    setUpUrl: /http\S+\/setup\?token=\S+/.exec(lines.join('\n'))?.[0],
    async command(...words) {
      const command = run(words, environment);
      let printed = '';
      command.stdout?.on('data', (data) => {
        printed += String(data);
      });
      await new Promise((resolve) => command.once('exit', resolve));
      return printed;
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function run(words: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, [program, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The server does not inherit the settings of the shell that runs the tests. */
function clean(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(SIGNALBOX|PREFECT)_/.test(name));
  return Object.fromEntries(kept);
}

/** Throws when the server has ended. */
async function isReady(url: string, { exitCode }: ChildProcess): Promise<boolean> {
  if (exitCode !== null) throw new Error(`The server ended with code ${exitCode}.`);
  try {
    return (await fetch(`${url}/api/ready`)).ok;
  } catch {
    return false;
  }
}
