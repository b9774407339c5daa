/** Third-party clients and servers that test the gateway: pinned, and installed once into `.work/mcp`. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '..', '..', '..');
const folder = join(repository, '.work', 'mcp');

const npmPackages = [
  '@modelcontextprotocol/client@2.4.0',
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  '@modelcontextprotocol/inspector@2.12.0',
  '@modelcontextprotocol/node@2.1.2',
  '@modelcontextprotocol/sdk@1.32.2',
  '@modelcontextprotocol/server@2.4.0',
  '@modelcontextprotocol/server-everything@2026.8.31',
  'mcp-remote@0.15.1',
  // Beside the newest of its generation.
  'sdk-1.10@npm:@modelcontextprotocol/sdk@1.10.2',
  'zod@4.3.6',
];
const pythonPackages = ['fastmcp==4.1.2', 'mcp==2.3.0'];

export interface Peers {
  /** Holds the peers' programs beside their packages. */
  readonly folder: string;
  /** Undefined without Python. */
  readonly python: string | undefined;
  program(packageName: string, file: string): string;
}

export async function preparePeers(say: (line: string) => void): Promise<Peers> {
  const marker = join(
    folder,
    `installed-${npmPackages
      .join('-')
      .replaceAll(/[^\w.-]/g, '_')
      .slice(-200)}`,
  );
  if (!existsSync(marker)) {
    say(`installing ${npmPackages.length} packages into ${folder} (once; a minute at most)`);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    await run('npm', ['install', ...options, ...npmPackages], { cwd: folder });
    await writeFile(marker, '');
  }
  cpSync(join(import.meta.dirname, 'peers'), join(folder, 'peers'), { recursive: true });
  return {
    folder: join(folder, 'peers'),
    python: await preparePython(say),
    program: (packageName, file) => join(folder, 'node_modules', packageName, file),
  };
}

async function preparePython(say: (line: string) => void): Promise<string | undefined> {
  const named = process.env['SIGNALBOX_TEST_MCP_PYTHON'];
  if (named) return named;
  const venv = join(folder, 'venv');
  const python = join(venv, 'bin', 'python');
  if (existsSync(join(venv, 'installed'))) return python;
  try {
    await run('python3', ['-c', 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10)']);
  } catch {
    say('Python 3.10 or later is missing: its clients are skipped');
    return undefined;
  }
  say(`making ${venv} with ${pythonPackages.join(', ')} (once)`);
  await run('python3', ['-m', 'venv', venv]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...pythonPackages]);
  await writeFile(join(venv, 'installed'), '');
  return python;
}
