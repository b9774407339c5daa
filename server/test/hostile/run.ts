/**
 * `node server/test/hostile/run.ts [--limits auto|watched] [--slowness N]`: runs each hostile program in a sandbox, as the user who calls, and
 * checks that it ends as it should and leaves no process, no file and no control group. Ends with the line of counts.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findCgroups } from '../../src/mcp/hosting/host/limits/cgroups.ts';
import { handOver } from '../../src/mcp/hosting/host/machine/program-user.ts';
import { removeAll } from '../../src/mcp/hosting/host/machine/removal.ts';
import { throttle } from '../../src/mcp/hosting/host/output/throttle.ts';
import { findBubblewrap } from '../../src/mcp/hosting/host/runner/bubblewrap.ts';
import { ProcessRunner } from '../../src/mcp/hosting/host/runner/process-runner.ts';
import { Sandbox } from '../../src/mcp/hosting/host/runner/sandbox.ts';
import { newId } from '../../src/values/id.ts';
import { guarded } from '../../src/watching/background.ts';
import { countsLine } from '../support/counts.ts';
import { type HostileProgram, hostilePrograms } from './programs.ts';

/** A program that nothing else ends is stopped after this time. */
const RUN_MILLISECONDS = 6000;
const LEFT_MILLISECONDS = 10_000;

const { values: options } = parseArgs({
  options: {
    limits: { type: 'string', default: 'auto' },
    only: { type: 'string', default: '' },
    slowness: { type: 'string', default: '1' },
  },
});
/** How many times slower this machine is than most. */
const slowness = Number(options.slowness);
const bubblewrap = findBubblewrap();
if (typeof bubblewrap === 'string') throw new Error(bubblewrap);
const enclosures = options.limits === 'auto' ? findCgroups() : undefined;
console.log(
  `as ${process.getuid?.() === 0 ? 'root' : 'an ordinary user'}; ${enclosures?.sentence ?? 'limits are watched'}`,
);
console.log(`controllers: ${controllers()}`);
console.log(`network: ${bubblewrap.networkProblem ?? 'each its own'}`);

/** Where files lie in memory, the kernel counts them as memory. */
const IN_MEMORY = 0x01021994;

const home = await mkdtemp(join(tmpdir(), 'signalbox-hostile-'));
const filesAreInMemory = (await statfs(home)).type === IN_MEMORY;
await writeFile(join(home, 'encryption.key'), 'a key', { mode: 0o600 });
const secret = createServer((socket) => socket.on('error', () => {}).end('a secret')).listen(0, '127.0.0.1');
await new Promise((resolve) => secret.once('listening', resolve));
const { port } = secret.address() as { port: number };
const runner = new ProcessRunner(
  join(home, 'notes'),
  new Sandbox(bubblewrap, {
    rooms: { folder: join(home, 'rooms'), hidden: [home] },
    ownNetwork: bubblewrap.networkProblem === undefined,
    targets: { current: async () => ({ allowPrivate: false }) },
    refusesHiddenMemory: enclosures === undefined,
  }),
  enclosures,
);

let passed = 0;
let failed = 0;
for (const program of hostilePrograms.filter(({ name }) => name.includes(options.only))) {
  const problem = await problemWith(program);
  if (problem === undefined) passed++;
  else failed++;
  console.log(
    `${problem === undefined ? 'ok    ' : 'FAILED'} ${program.kind.padEnd(8)} ${program.name}${problem ? `: ${problem}` : ''}`,
  );
}
await runner.close();
secret.close();
await removeAll(home);
console.log(countsLine({ passed, failed, skipped: 0 }));
process.exit(failed > 0 ? 1 : 0);

/** What is wrong with how a program has ended; undefined when nothing is. */
async function problemWith(program: HostileProgram): Promise<string | undefined> {
  const { code, ends, endsWatched } = program;
  const mark = `hostile-${newId()}`;
  const folder = join(home, newId());
  const work = join(folder, 'work');
  const temporary = join(folder, 'tmp');
  for (const path of [work, temporary]) {
    await mkdir(path, { recursive: true });
    await handOver(path, runner.userOf(mark));
  }
  const running = runner.start({
    serverId: mark,
    command: ['python3', '-c', `${code}\n# ${mark}`],
    directory: work,
    files: { writable: [work], temporary, readable: [], machine: [] },
    environment: {
      ...{ PATH: '/usr/local/bin:/usr/bin:/bin', HOME: work, TMPDIR: temporary },
      ...{ SERVER_HOME: home, SERVER_PORT: String(port), SERVER_PID: String(process.pid) },
    },
    memoryMegabytes: 256,
    diskMegabytes: 128,
    maxFiles: 5000,
    input: false,
  });
  let printed = '';
  for (const output of [running.stdout, running.stderr]) {
    throttle(output);
    output.on('data', (piece: Buffer) => {
      printed = (printed + piece.toString('latin1')).slice(-2000);
    });
  }
  const limit = setTimeout(
    guarded('the end of a hostile program', () => running.stop(0.5, 'the time is over')),
    RUN_MILLISECONDS * slowness,
  );
  const { reason } = await running.ended;
  clearTimeout(limit);
  const wanted = (enclosures === undefined ? endsWatched : undefined) ?? ends;
  const isFull = filesAreInMemory && program.kind === 'fill' && /MB of memory$/.test(reason);
  if (!wanted.test(reason) && !isFull) return `it ${reason}; it printed ${JSON.stringify(printed.trim().slice(-300))}`;
  if (printed.includes('left:')) return `it left the sandbox: ${printed.trim()}`;
  if (!(await gone(() => processesWith(mark).length === 0))) return `processes stay: ${processesWith(mark)}`;
  if (!(await gone(() => sleepers().length === 0))) return `a child stays: ${sleepers()}`;
  await removeAll(folder);
  if (existsSync(folder)) return 'its folder stays';
  return undefined;
}

async function gone(isSo: () => boolean): Promise<boolean> {
  for (
    const deadline = performance.now() + LEFT_MILLISECONDS * slowness;
    performance.now() < deadline;
    await delay(50)
  ) {
    if (isSo()) return true;
  }
  return isSo();
}

function processesWith(mark: string): string[] {
  return commandLines().filter((line) => line.includes(mark));
}

/** Children that have become another program. */
function sleepers(): string[] {
  return commandLines().filter((line) => line.startsWith('sleep 600'));
}

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    });
}

function controllers(): string {
  try {
    return readFileSync('/sys/fs/cgroup/cgroup.controllers', 'utf8').trim();
  } catch {
    return `${readFileSync('/proc/cgroups', 'utf8').match(/^\w+/gm)?.join(' ')} (version 1)`;
  }
}
