/** How slow this machine is: the limits in seconds are for a machine of known speed. */
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIBRARIES = ['fastify', 'kysely', 'typebox', 'pg', 'pino', 'ws'];
/** What loading them takes on the machine that the limits are for. */
const LIBRARIES_SECONDS = 0.35;
const SAMPLES = 3;

/** How many times longer a program takes here and now than on the machine that the limits are for; at least 1. */
export function slowness(): number {
  const samples = Array.from({ length: SAMPLES }, librariesSeconds);
  return Math.max(1, Math.min(...samples) / LIBRARIES_SECONDS);
}

/** The limit that holds for a measured time: as much longer as this machine is slower, where the time needs it. */
export function limitHere(measured: number, limit: number): number {
  return measured <= limit ? limit : limit * slowness();
}

/** What a program prints. The compiled code of its libraries is kept for the next time. */
export function runNode(program: string): string {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'signalbox-machine-compiled') };
  const args = ['--input-type=module', '--eval', program];
  return execFileSync(process.execPath, args, { encoding: 'utf8', cwd: import.meta.dirname, env });
}

/** What Node takes of a processor to load the largest libraries of the server. */
function librariesSeconds(): number {
  const imports = LIBRARIES.map((name) => `await import('${name}');`).join('');
  return Number(runNode(`${imports} const { user, system } = process.cpuUsage(); console.log((user + system) / 1e6)`));
}
