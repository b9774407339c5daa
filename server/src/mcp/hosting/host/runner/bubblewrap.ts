/**
 * Bubblewrap, which gives a program its own namespaces with a selected part of the machine. A trial run detects it,
 * because the kernel may forbid an installed bubblewrap.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { programUserOf } from '../machine/program-user.ts';
import type { ProgramFiles } from './runner.ts';
import { type BubblewrapArguments, sandboxWords, staged, stagingProblem } from './staging.ts';

/** The user id within a sandbox; on the machine it is the one of `program-user.ts`, without capabilities. */
const USER_ID = '1000';
const PROBE_MILLISECONDS = 5000;

/** Namespaces of a program, except that of the network. */
const NAMESPACES = [
  ...['--unshare-user', '--uid', USER_ID, '--gid', USER_ID],
  ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--hostname', 'signalbox'],
  ...['--die-with-parent', '--cap-drop', 'ALL'],
];
/**
 * Prevents a program from making user namespaces, through which most of the kernel's faults are reachable; from 0.8 on.
 */
const NO_MORE_NAMESPACES = '--disable-userns';
/** Gives a loopback address of its own, and no other network. */
const OWN_NETWORK = '--unshare-net';

/** Top-level folders of the system, which are links into /usr on a merged system. */
const SYSTEM_LINKS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
/**
 * Configuration files that programs read: names, certificates, libraries, time zones. They contain no keys and
 * passwords.
 */
const SETTINGS_OF_SYSTEM = [
  ...['alternatives', 'ca-certificates', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'mime.types'],
  ...['nsswitch.conf', 'host.conf', 'gai.conf', 'hosts', 'protocols', 'resolv.conf', 'services', 'timezone'],
  ...['ssl/certs', 'ssl/openssl.cnf', 'pki/tls/certs', 'pki/tls/openssl.cnf', 'pki/ca-trust/extracted'],
].map((name) => `/etc/${name}`);
/** The folder for settings of programs that administrators have installed themselves. */
const LOCAL_SETTINGS = '/usr/local/etc';

export interface Bubblewrap {
  readonly program: string;
  /** `NAMESPACES`, and further options of this version. */
  readonly namespaces: readonly string[];
  /** Undefined if a program can have a network of its own, else the reason why not. */
  readonly networkProblem: string | undefined;
}

let found: Bubblewrap | string | undefined;

/** The trial takes some milliseconds, once. Returns a sentence when bubblewrap does not work here. */
export function findBubblewrap(): Bubblewrap | string {
  found ??= probe();
  return found;
}

function probe(): Bubblewrap | string {
  if (process.platform !== 'linux') return 'The sandbox needs Linux.';
  const program = programOnPath('bwrap');
  if (program === undefined) return 'bubblewrap (bwrap) is not installed.';
  let problem: string | undefined;
  for (const namespaces of [[...NAMESPACES, NO_MORE_NAMESPACES], NAMESPACES]) {
    const networkProblem = problemWith(program, [...namespaces, OWN_NETWORK]);
    if (networkProblem === undefined) return { program, namespaces, networkProblem };
    problem = problemWith(program, namespaces);
    if (problem === undefined) return { program, namespaces, networkProblem };
  }
  return `bubblewrap does not work here (${problem}).`;
}

/** Undefined when it runs with these namespaces. */
function problemWith(program: string, namespaces: readonly string[]): string | undefined {
  const user = programUserOf('a trial');
  const missing = user === undefined ? undefined : stagingProblem();
  if (missing !== undefined) return missing;
  const args = [...namespaces, ...systemArguments(), '--proc', '/proc', '--remount-ro', '/proc', '--dev', '/dev'];
  const [word = '', ...rest] = sandboxWords(program, bubblewrapArguments(program, args, user), user);
  const { status, stderr, error } = spawnSync(word, [...rest, 'true'], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: PROBE_MILLISECONDS,
    encoding: 'utf8',
  });
  if (status === 0) return undefined;
  return error?.message ?? (stderr.trim().split('\n').at(-1) || 'it failed without a message');
}

/** `args` for a program that runs as `user` of the machine; undefined means the user of this server. */
export function bubblewrapArguments(
  program: string,
  args: readonly string[],
  user: number | undefined,
): BubblewrapArguments {
  return user === undefined ? [args] : staged(program, args, programArguments());
}

/** The namespace arguments of a program. */
export function namespaceArguments({ namespaces }: Bubblewrap, hasOwnNetwork: boolean): string[] {
  return hasOwnNetwork ? [...namespaces, OWN_NETWORK] : [...namespaces];
}

/** Undefined when it is in no folder of `path`. */
export function programOnPath(name: string, path = process.env['PATH'] ?? ''): string | undefined {
  for (const folder of path.split(':')) {
    const place = join(folder, name);
    if (isAbsolute(folder) && existsSync(place)) return place;
  }
  return undefined;
}

/** The programs of the system and their libraries. */
function programArguments(): string[] {
  const links = SYSTEM_LINKS.flatMap((path) => {
    if (!existsSync(path)) return [];
    return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : readOnly(path);
  });
  return [...readOnly('/usr'), ...links];
}

function systemArguments(): string[] {
  const settings = SETTINGS_OF_SYSTEM.flatMap((path) => ['--ro-bind-try', path, path]);
  const hidden = existsSync(LOCAL_SETTINGS) ? ['--tmpfs', LOCAL_SETTINGS, '--remount-ro', LOCAL_SETTINGS] : [];
  return [...programArguments(), ...hidden, ...settings];
}

export interface Rooms {
  /** A folder of this server for the few files that replace the system's in each sandbox. */
  readonly folder: string;
  /** Files and folders of this server that no program sees, wherever they are. */
  readonly hidden: readonly string[];
}

/** Files of this machine, with their places in a sandbox. */
type Mounts = readonly (readonly [path: string, place: string])[];

/** The content of a sandbox, from the outside in: a later argument covers an earlier one. */
export function fileArguments({ folder, hidden }: Rooms, files: ProgramFiles, own: Mounts): string[] {
  const covered = hidden.filter(existsSync).map((path) => realpathSync(path));
  const machine = files.machine.filter((path) => isForPrograms(path, covered));
  const seen = ['/usr', ...machine.map((path) => realpathSync(path))];
  const covers = covered.filter((path) => seen.some((place) => isWithin(path, place)));
  const isFolder = (path: string) => statSync(path).isDirectory();
  return [
    ...systemArguments(),
    ...accountFiles(folder),
    ...['--proc', '/proc', '--dev', '/dev', '--symlink', '../tmp', '/var/tmp'],
    ...['--bind', files.temporary, '/tmp'],
    // Not bubblewrap's own memory file system, because its files belong to no process, so no limit would count them.
    ...['--bind', files.temporary, '/dev/shm', '--remount-ro', '/dev'],
    // Below /proc/sys the kernel checks for its root user and not for a capability, and this server may run as root.
    ...['--remount-ro', '/proc'],
    ...machine.flatMap(readOnly),
    ...covers.flatMap((path) => (isFolder(path) ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path])),
    ...files.readable.flatMap(readOnly),
    ...[...files.writable, files.temporary].flatMap((path) => ['--bind', path, path]),
    ...own.flatMap(([path, place]) => ['--ro-bind', path, place]),
    // These come last, because the program's own folders may be inside the covered ones.
    ...[...covers.filter(isFolder), '/'].flatMap((path) => ['--remount-ro', path]),
  ];
}

function readOnly(path: string): string[] {
  return ['--ro-bind', path, path];
}

/**
 * Absent paths are skipped, because the program does not find them either. Paths into this server's own files are
 * excluded.
 */
function isForPrograms(path: string, covered: readonly string[]): boolean {
  if (!existsSync(path)) return false;
  const real = realpathSync(path);
  if (['/', '/proc', '/sys', '/dev'].some((top) => real === top || (top !== '/' && isWithin(real, top)))) return false;
  if (covered.some((place) => isWithin(real, place))) return false;
  // Through a link, covered files would be accessible under another name.
  return real === path || !covered.some((place) => isWithin(place, real));
}

/** Also true for the place itself. */
function isWithin(path: string, place: string): boolean {
  const way = relative(place, path);
  return way === '' || !(way.startsWith('..') || isAbsolute(way));
}

/** Files with one account instead of those of the machine. */
function accountFiles(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const files = {
    passwd: `program:x:${USER_ID}:${USER_ID}::/tmp:/bin/sh\n`,
    group: `program:x:${USER_ID}:\n`,
  };
  return Object.entries(files).flatMap(([name, text]) => {
    const path = join(folder, name);
    if (!existsSync(path)) writeFileSync(path, text);
    // It contains no secret, and the folder is not accessible: the user of a program reads it in its sandbox.
    chmodSync(path, 0o644);
    return ['--ro-bind', path, `/etc/${name}`];
  });
}
