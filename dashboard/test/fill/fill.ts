/**
 * Fills a server once, with real flows of the Prefect SDK and with records that no flow makes; every worker begins with
 * a copy of its home. Without Python the server gets only what the API accepts, and tests of real flows are skipped.
 * With SIGNALBOX_TEST_REUSE_HOME=1, an already filled home is reused.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Seed, seed } from '../../../server/test/browser/seed.ts';
import { PythonMissing, preparePython } from '../../../server/test/prefect/python.ts';
import { startServer } from '../running-server.ts';

const work = join(import.meta.dirname, '..', '..', '..', '.work', 'browser');
export const filledHome = join(work, 'filled-home');
const seedFile = join(work, 'filled.json');

export interface Filled extends Seed {
  /** True when the flows of `flows.py` have run. */
  readonly hasFlows: boolean;
}

export default async function fillOnce(): Promise<void> {
  if (process.env['SIGNALBOX_TEST_REUSE_HOME'] && existsSync(seedFile)) return;
  await rm(filledHome, { recursive: true, force: true });
  await mkdir(filledHome, { recursive: true });
  const server = await startServer(filledHome);
  try {
    await writeFile(seedFile, JSON.stringify(await fill(`${server.url}/api`)));
  } finally {
    await server.stop();
  }
}

export async function readFilled(): Promise<Filled> {
  return JSON.parse(await readFile(seedFile, 'utf8')) as Filled;
}

/** `api`: the address of an empty API. */
export async function fill(api: string): Promise<Filled> {
  const hasFlows = await runFlows(api);
  return { ...(await seed(api)), hasFlows };
}

async function runFlows(api: string): Promise<boolean> {
  const python = await preparePython(console.log).catch((error: unknown) => {
    if (!(error instanceof PythonMissing)) throw error;
    console.log(`No real flows: ${error.message}`);
    return undefined;
  });
  if (!python) return false;
  const home = join(work, 'prefect-home');
  await rm(home, { recursive: true, force: true });
  const child = spawn(python.command, [join(import.meta.dirname, 'flows.py')], {
    env: { ...process.env, PREFECT_API_URL: api, PREFECT_HOME: home, PREFECT_SERVER_ANALYTICS_ENABLED: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      printed += String(data);
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`The flows did not run:\n${printed.slice(-4000)}`);
  return true;
}
