/** Finds the actual locations of the tools that build and run programs on this machine. */
import { execFile } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { programOnPath } from './bubblewrap.ts';

const execute = promisify(execFile);
const ASKED_MILLISECONDS = 20_000;

interface Tool {
  readonly command: readonly string[];
  /** The files that it needs besides the system. */
  readonly files: readonly string[];
}

/**
 * A name on PATH may be a script that selects an interpreter (pyenv), or a link of a virtual environment; undefined if
 * there is none.
 */
export async function findPython(): Promise<Tool | undefined> {
  if (programOnPath('python3') === undefined) return undefined;
  const code = "import sys; print(getattr(sys, '_base_executable', None) or sys.executable); print(sys.base_prefix)";
  const { stdout } = await execute('python3', ['-I', '-c', code], { timeout: ASKED_MILLISECONDS });
  const [program = 'python3', prefix = ''] = stdout.trim().split('\n');
  return { command: [program], files: outsideOfSystem(prefix) };
}

/**
 * A single file. A script that selects one (pyenv) is ignored: a sandbox lacks the files that it needs, and pip does
 * the same work.
 */
export function findUv(): Tool | undefined {
  const path = programOnPath('uv');
  if (path === undefined) return undefined;
  const file = realpathSync(path);
  return isScript(file) ? undefined : { command: [file], files: outsideOfSystem(file) };
}

function isScript(file: string): boolean {
  const open = openSync(file, 'r');
  try {
    const begin = Buffer.alloc(2);
    readSync(open, begin);
    return begin.toString('latin1') === '#!';
  } finally {
    closeSync(open);
  }
}

/** npm's own package, run by the Node that is installed with it. */
export function findNpm(): Tool | undefined {
  const path = programOnPath('npm');
  if (path === undefined) return undefined;
  const script = realpathSync(path);
  const beside = join(dirname(path), 'node');
  const node = existsSync(beside) ? realpathSync(beside) : process.execPath;
  const folder = dirname(dirname(script));
  return { command: [node, script], files: [node, folder].flatMap(outsideOfSystem) };
}

/** The Node that runs this server. */
export function ownNode(): Tool {
  return { command: [process.execPath], files: outsideOfSystem(process.execPath) };
}

function outsideOfSystem(path: string): string[] {
  return path === '' || path.startsWith('/usr/') || path === '/usr' ? [] : [path];
}
