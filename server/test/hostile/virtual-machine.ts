/**
 * `node server/test/hostile/virtual-machine.ts`: runs the hostile programs under another kernel, which has control groups of
 * version 2: in an emulated machine, as root and as an ordinary user to whom a group is delegated. Needs qemu-system-x86,
 * busybox-static, cpio and apt-get on x86-64. Prints what the machine prints, and ends with the line of counts.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { countsLine } from '../support/counts.ts';

const repository = join(import.meta.dirname, '..', '..', '..');
const work = join(repository, '.work', 'virtual-machine');
const root = join(work, 'root');
const MINUTES = 60;
/** An emulated processor is about so many times slower. */
const SLOWNESS = 10;
const PROGRAMS = [
  ...['/usr/bin/bwrap', '/usr/bin/setpriv', '/usr/bin/prlimit', '/usr/bin/find', '/usr/bin/python3.11', '/usr/bin/su'],
  ...['du', 'rm', 'chmod', 'chown', 'cp', 'env', 'id', 'cat', 'ls', 'sleep', 'mkdir', 'true', 'dash'].map(
    (name) => `/usr/bin/${name}`,
  ),
];
const LAUNCHER = 'server/src/mcp/hosting/host/network/launcher.mjs';

const missing = ['qemu-system-x86_64', 'busybox', 'cpio', 'apt-get', 'ldd'].filter((name) => !isInstalled(name));
if (process.arch !== 'x64' || missing.length > 0) {
  console.log(`skipped: ${missing.join(', ') || process.arch}`);
  console.log(countsLine({ passed: 0, failed: 0, skipped: 1 }));
  process.exit();
}
rmSync(root, { recursive: true, force: true });
const kernel = fetchKernel();
stage();
const initial = join(work, 'initial.cpio');
execFileSync('sh', ['-c', `find . | cpio --quiet -o -H newc > ${initial}`], { cwd: root });
process.exitCode = await boot();

function isInstalled(name: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, name)));
}

/** Unpacked from the package of the distribution, and not installed. */
function fetchKernel(): string {
  const unpacked = join(work, 'kernel');
  const find = () => globSync('boot/vmlinuz-*', { cwd: unpacked })[0];
  if (!find()) {
    mkdirSync(unpacked, { recursive: true });
    const depends = execFileSync('apt-cache', ['depends', 'linux-image-cloud-amd64'], { encoding: 'utf8' });
    const name = /Depends: (linux-image\S+)/.exec(depends)?.[1] ?? '';
    execFileSync('apt-get', ['download', '-qq', name], { cwd: work, stdio: 'ignore' });
    const [file = ''] = globSync('linux-image-*.deb', { cwd: work });
    execFileSync('dpkg', ['-x', join(work, file), unpacked]);
  }
  return join(unpacked, find() ?? '');
}

function stage(): void {
  const folders = ['usr/bin', 'usr/lib', 'usr/lib64', 'usr/sbin', 'proc', 'sys', 'dev', 'tmp', 'etc', 'new', 'root'];
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) symlinkSync(`usr/${name}`, join(root, name));
  const node = realpathSync(process.execPath);
  for (const program of [...PROGRAMS, node]) copyProgram(program);
  cpSync(node, join(root, 'usr/bin/node'));
  cpSync(execFileSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).trim(), join(root, 'usr/bin/busybox'));
  symlinkSync('dash', join(root, 'usr/bin/sh'));
  symlinkSync('python3.11', join(root, 'usr/bin/python3'));
  cpSync('/usr/lib/python3.11', join(root, 'usr/lib/python3.11'), {
    recursive: true,
    filter: (path) => !/\/(test|idlelib|lib2to3|ensurepip|__pycache__|config-[^/]*)$/.test(path),
  });
  for (const library of globSync('/usr/lib/python3.11/lib-dynload/_ctypes*.so')) copyLibraries(library);
  const bundle = join(root, 'signalbox/server/dist/hostile.js');
  const words = [join(import.meta.dirname, 'run.ts'), '--platform', 'node', '--format', 'esm', '--file', bundle];
  execFileSync(join(repository, 'node_modules/.bin/rolldown'), words, { stdio: 'ignore' });
  writeFileSync(join(root, 'signalbox/server/package.json'), '{"type": "module", "version": "0.0.0"}');
  mkdirSync(dirname(join(root, 'signalbox', LAUNCHER)), { recursive: true });
  cpSync(join(repository, LAUNCHER), join(root, 'signalbox', LAUNCHER));
  writeScript('init', [
    'export PATH=/usr/bin',
    'busybox mount -t tmpfs -o mode=755,size=90% tmpfs /new',
    // The first file system cannot be left behind, which a sandbox needs.
    'for name in /usr /bin /lib /lib64 /sbin /etc /root /signalbox /start; do busybox cp -a $name /new; done',
    'busybox mkdir -m 1777 /new/tmp',
    'busybox mkdir /new/proc /new/sys /new/dev',
    'exec busybox switch_root /new /start',
  ]);
  const run = `node --max-semi-space-size=4 /signalbox/server/dist/hostile.js --slowness ${SLOWNESS}`;
  writeScript('start', [
    'export PATH=/usr/bin HOME=/root',
    'busybox mount -t proc proc /proc; busybox mount -t sysfs sysfs /sys; busybox mount -t devtmpfs dev /dev',
    'busybox mkdir /dev/pts /dev/shm; busybox mount -t devpts devpts /dev/pts; busybox mount -t tmpfs tmpfs /dev/shm',
    'busybox mount -t cgroup2 cgroup2 /sys/fs/cgroup; busybox ifconfig lo up',
    "echo '+memory +pids +cpu' > /sys/fs/cgroup/cgroup.subtree_control",
    'mkdir /sys/fs/cgroup/delegated; chown -R 12345:12345 /sys/fs/cgroup/delegated',
    run,
    'echo $$ > /sys/fs/cgroup/delegated/cgroup.procs',
    `/usr/bin/setpriv --reuid=12345 --regid=12345 --clear-groups env HOME=/tmp ${run}`,
    'busybox poweroff -f',
  ]);
}

function writeScript(name: string, lines: readonly string[]): void {
  const file = join(root, name);
  writeFileSync(file, `#!/bin/busybox sh\n${lines.join('\n')}\n`);
  chmodSync(file, 0o755);
}

function copyProgram(path: string): void {
  if (!existsSync(path)) return;
  cpSync(realpathSync(path), join(root, path));
  copyLibraries(path);
}

function copyLibraries(path: string): void {
  const listed = execFileSync('ldd', [path], { encoding: 'utf8' });
  for (const [, library = ''] of listed.matchAll(/(\/\S+) \(0x/g)) {
    const place = join(root, realpathSync(dirname(library)), library.split('/').at(-1) ?? '');
    mkdirSync(dirname(place), { recursive: true });
    cpSync(realpathSync(library), place);
  }
}

async function boot(): Promise<number> {
  const machine = spawn(
    'qemu-system-x86_64',
    [
      ...['-accel', 'tcg,thread=multi', '-smp', '2', '-m', '4096', '-nographic', '-no-reboot', '-nic', 'none'],
      ...['-kernel', kernel, '-initrd', initial, '-append', 'console=ttyS0 quiet panic=-1 rdinit=/init'],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  machine.stdout.on('data', (piece: Buffer) => {
    output += piece;
    process.stdout.write(piece);
  });
  const limit = setTimeout(() => machine.kill('SIGKILL'), MINUTES * 60_000);
  await new Promise((resolve) => machine.once('exit', resolve));
  clearTimeout(limit);
  const runs = [...output.matchAll(/^(\d+) passed, (\d+) failed/gm)].map(([, good, bad]) => [
    Number(good),
    Number(bad),
  ]);
  const sum = (at: number) => runs.reduce((total, counts) => total + (counts[at] ?? 0), 0);
  // Both users have to come to their end.
  const failed = sum(1) + (2 - runs.length);
  console.log(countsLine({ passed: sum(0), failed, skipped: 0 }));
  return failed > 0 ? 1 : 0;
}
