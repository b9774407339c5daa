/**
 * `node run-in-sandbox.ts CODE`: runs code of Node in a sandbox as the server starts it, as the user who calls, and prints as
 * JSON what it printed and which users of this machine its processes have.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { factsOf, processesMarked } from '../../src/mcp/hosting/host/machine/process-tree.ts';
import { handOver } from '../../src/mcp/hosting/host/machine/program-user.ts';
import { removeAll } from '../../src/mcp/hosting/host/machine/removal.ts';
import { findBubblewrap } from '../../src/mcp/hosting/host/runner/bubblewrap.ts';
import { ProcessRunner } from '../../src/mcp/hosting/host/runner/process-runner.ts';
import { Sandbox } from '../../src/mcp/hosting/host/runner/sandbox.ts';

export interface SandboxRun {
  readonly printed: string;
  /** The ids of real, effective, saved and file system user, and of the groups, of each process of the program. */
  readonly ids: readonly number[];
  readonly reason: string;
}

const bubblewrap = findBubblewrap();
if (typeof bubblewrap === 'string') throw new Error(bubblewrap);
const home = await mkdtemp(join(tmpdir(), 'signalbox-sandboxed-'));
const folder = join(home, 'own');
const notes = join(home, 'notes');
await mkdir(folder);
const sandbox = new Sandbox(bubblewrap, {
  rooms: { folder: join(home, 'rooms'), hidden: [home] },
  ownNetwork: bubblewrap.networkProblem === undefined,
  targets: { current: async () => ({ allowPrivate: false }) },
  refusesHiddenMemory: true,
});
const runner = new ProcessRunner(notes, sandbox);
await handOver(folder, runner.userOf('one'));
const running = runner.start({
  serverId: 'one',
  // It stays until its input ends.
  command: [process.execPath, '-e', `${process.argv[2]}\nprocess.stdin.resume();`],
  directory: folder,
  files: { writable: [folder], temporary: folder, readable: [], machine: [process.execPath] },
  environment: { PATH: process.env['PATH'] ?? '', HOME: folder, SERVER_PROCESS: String(process.pid) },
  memoryMegabytes: 512,
  diskMegabytes: 64,
  maxFiles: 10_000,
  input: true,
});
running.stderr.pipe(process.stderr);
let printed = '';
running.stdout.on('data', (chunk: Buffer) => {
  printed += chunk.toString();
  if (printed.endsWith('\n')) running.stdin?.end();
});
await new Promise((resolve) => running.stdout.once('data', resolve));
const ids = new Set(processIdsOf(notes).flatMap(idsOf));
const { reason } = await running.ended;
await removeAll(home);
console.log(JSON.stringify({ printed, ids: [...ids], reason } satisfies SandboxRun));

/** Without what holds the others: as root, the first and the one below it are the server's own. */
function processIdsOf(folderOfNotes: string): number[] {
  const marked = readdirSync(folderOfNotes).flatMap((name) => processesMarked(name.replace('.json', '')));
  const parentOf = (pid: number) => factsOf(pid)?.parent ?? 0;
  const holders =
    process.getuid?.() === 0 ? [process.pid, ...marked.filter((pid) => parentOf(pid) === process.pid)] : [process.pid];
  return marked.filter((pid) => !holders.includes(parentOf(pid)));
}

function idsOf(pid: number): number[] {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').matchAll(/^(?:Uid|Gid|Groups):(.*)$/gm);
  return [...lines].flatMap(([, line = '']) => line.trim().split(/\s+/).filter(Boolean).map(Number));
}
