import { spawn } from 'node:child_process';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cleanEnvironment } from './environment.ts';

const folder = join(import.meta.dirname, 'scenarios');

export interface Scenario {
  name: string;
  file: string;
  /** First sentence of the script's docstring: what a user may rely on. */
  promise: string;
  /** It stops or restarts its server, so it needs its own. */
  ownServer: boolean;
  /** Further settings of that server. */
  serverSettings: Record<string, string>;
  /** What it shows may depend on the database: who waits for whom, what survives a restart, what a filter finds. */
  bothDatabases: boolean;
  /** It belongs to the quick run: one or two for each kind of behaviour. */
  quick: boolean;
  /** It loads or measures the server, so nothing else runs beside it. */
  alone: boolean;
  timeoutSeconds: number;
  /**
   * What the script needs and Signalbox does not support yet; it is skipped there, and runs on the reference server.
   */
  waitsFor: string | undefined;
  /** A further Python package; without it the script is skipped. */
  needsPackage: string | undefined;
}

/**
 * The scripts of the folder `scenarios`. A line `# scenario: own server, alone, timeout 120 s` near the top of a script gives
 * what differs from the defaults: a server shared with scenarios that run at the same time, and 90 s.
 */
export async function listScenarios(): Promise<Scenario[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.py')).sort();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8');
      const needs = /^# scenario: (.*)$/m.exec(text)?.[1] ?? '';
      return {
        name: file.replace(/\.py$/, ''),
        file: join(folder, file),
        promise: /^"""(.+?)(?:"""|\n\n|$)/s.exec(text)?.[1]?.replaceAll(/\s+/g, ' ').trim() ?? '',
        ownServer: needs.includes('own server'),
        serverSettings: Object.fromEntries(
          [...needs.matchAll(/(SIGNALBOX_\w+)=([^\s,]+)/g)].map(([, name = '', value = '']) => [name, value]),
        ),
        bothDatabases: needs.includes('both databases'),
        quick: needs.includes('quick'),
        alone: needs.includes('alone'),
        timeoutSeconds: Number(/timeout (\d+) s/.exec(needs)?.[1] ?? 90),
        waitsFor: /waits for ([^,]+)/.exec(needs)?.[1],
        needsPackage: /needs (\w+)/.exec(needs)?.[1],
      };
    }),
  );
}

export interface Outcome {
  passed: boolean;
  seconds: number;
  /** Why it failed, in a few words. */
  reason: string | undefined;
  /** Figures that the script printed as `note: …`. */
  notes: string[];
  output: string;
}

export interface ScenarioSetting {
  python: string;
  apiUrl: string;
  /** Undefined on a shared server. */
  controlUrl: string | undefined;
  /** Fresh folder of this run: PREFECT_HOME and working folder. */
  home: string;
}

/** Runs one script in its own process and waits for its end, at most for its timeout. */
export async function runScenario(scenario: Scenario, setting: ScenarioSetting, signal: AbortSignal): Promise<Outcome> {
  // Clients before 3.4 serve no flow of a file outside their working folder.
  const script = join(setting.home, basename(scenario.file));
  await copyFile(scenario.file, script);
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(setting.python, [script], {
      cwd: setting.home,
      env: cleanEnvironment({
        PREFECT_HOME: join(setting.home, 'prefect'),
        PREFECT_API_URL: setting.apiUrl,
        PREFECT_LOGGING_COLORS: 'false',
        PYTHONPATH: join(import.meta.dirname, 'python'),
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONUNBUFFERED: '1',
        PYTHONFAULTHANDLER: '1',
        PYTHONIOENCODING: 'utf-8',
        TMPDIR: setting.home,
        ...(setting.controlUrl && { SIGNALBOX_TEST_CONTROL_URL: setting.controlUrl }),
      }),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // its own process group: a scenario's child processes end with it
    });
    let output = '';
    let reason: string | undefined;
    const collect = (chunk: string) => {
      output += chunk;
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);

    const killGroup = () => {
      try {
        if (child.pid) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The group has exited.
      }
    };
    const timer = setTimeout(() => {
      reason = `not done after ${scenario.timeoutSeconds} s`;
      killGroup();
    }, scenario.timeoutSeconds * 1000);
    signal.addEventListener('abort', killGroup, { once: true });

    const finish = (failure: string | undefined) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', killGroup);
      killGroup();
      resolve({
        passed: failure === undefined,
        seconds: (performance.now() - started) / 1000,
        reason: failure,
        notes: [...output.matchAll(/^note: (.+)$/gm)].map((match) => match[1] ?? ''),
        output,
      });
    };
    child.once('error', (cause) => finish(cause.message));
    child.once('exit', (code, ended) => {
      // Leftover children may hold the pipes open; without them `close` follows at once.
      killGroup();
      child.once('close', () => finish(reason ?? (code === 0 ? undefined : (ended ?? `exit code ${code}`))));
    });
  });
}
