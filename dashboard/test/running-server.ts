/** A real server in a process of its own, on a free port and a home of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../server/test/support/free-port.ts';

const repository = join(import.meta.dirname, '..', '..');
const READY_WITHIN_MILLISECONDS = 30_000;

export interface RunningServer {
  readonly url: string;
  readonly home: string;
  /** Offered by a server without accounts. */
  readonly setUpUrl: string | undefined;
  /** Runs an operator's command on its database and answers what it printed. */
  command(...words: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** `settings`: further environment variables, `SIGNALBOX_…`. Throws with the log when it does not become ready. */
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
  const deadline = Date.now() + READY_WITHIN_MILLISECONDS;
  while (!(await isReady(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`The server did not become ready:\n${lines.join('\n')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
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
  return spawn(process.execPath, [join(repository, 'server', 'src', 'main.js'), ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The settings of whoever runs the tests do not count. */
function clean(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(SIGNALBOX|PREFECT)_/.test(name));
  return Object.fromEntries(kept);
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/api/ready`)).ok;
  } catch {
    return false;
  }
}
