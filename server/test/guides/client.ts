/** The Python that has the unmodified Prefect client. */
import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { cleanEnvironment } from '../prefect/environment.ts';
import { PythonMissing, preparePython } from '../prefect/python.ts';

/** Ends what hangs. The longest page takes a minute, and six on a machine that is busy with other suites. */
const LONGEST_SECONDS = 1200;

/** Undefined where there is no Python for it; the reason is printed. */
export async function findPython(): Promise<string | undefined> {
  try {
    return (await preparePython((line) => console.error(line))).command;
  } catch (error) {
    if (!(error instanceof PythonMissing)) throw error;
    console.error(error.message);
    return undefined;
  }
}

/** Runs a script and returns what it printed. Throws with its output when it fails. */
export function runPython(
  python: string,
  script: string,
  folder: string,
  settings: Record<string, string>,
): Promise<string> {
  return runProgram(python, [script], python, folder, settings);
}

/** Runs a program whose `python` and `prefect` are those of the client, in an own folder. */
export async function runProgram(
  program: string,
  words: readonly string[],
  python: string,
  folder: string,
  settings: Record<string, string>,
): Promise<string> {
  const home = await mkdtemp(join(folder, 'client-'));
  const child = spawn(program, words, {
    cwd: home,
    env: cleanEnvironment({
      PREFECT_HOME: join(home, 'prefect'),
      PREFECT_LOGGING_COLORS: 'false',
      PYTHONDONTWRITEBYTECODE: '1',
      PATH: [dirname(python), process.env['PATH']].join(delimiter),
      ...settings,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_SECONDS * 1000,
    killSignal: 'SIGKILL',
  });
  let output = '';
  const collect = (text: string) => {
    output += text;
  };
  child.stdout.setEncoding('utf8').on('data', collect);
  child.stderr.setEncoding('utf8').on('data', collect);
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${code}:\n${output.slice(-6000)}`);
  return output;
}
