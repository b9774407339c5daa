/**
 * Control groups of Linux: version 2 if it is delegated to this server or if the server is root, else version 1 if its
 * folders are writable. Source: docs.kernel.org/admin-guide/cgroup-v2.html, cgroup-v1/memory.html.
 */

import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { cpus } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { counted } from '../../../../values/counted.ts';
import { newId } from '../../../../values/id.ts';
import { guarded } from '../../../../watching/background.ts';
import { factsOf, signal } from '../machine/process-tree.ts';
import type { Enclosure, Enclosures, ProgramLimits } from './enclosure.ts';

/** The group of this server's own processes, because version 2 allows no processes in a group with subgroups. */
const OWN_GROUP = 'signalbox-server';
const PREFIX = 'signalbox-programs';
const CONTROLLERS = ['memory', 'pids'];
/** Weight of all programs together when the rest of the machine competes for the processors. */
const WEIGHT = 25;
const USUAL_WEIGHT = 100;
/** The corresponding value of version 1. */
const USUAL_SHARES = 1024;
const PERIOD_MICROSECONDS = 100_000;
const REMOVE_MILLISECONDS = 100;
const REMOVE_TRIES = 50;

/** Undefined if the kernel's limits are not usable. Changes nothing. */
export function findCgroups(): Enclosures | undefined {
  if (process.platform !== 'linux') return undefined;
  return findVersion2() ?? findVersion1();
}

/** The mount of each hierarchy, with the group of this process in it. `''` is version 2. */
function ownGroups(): Map<string, string> {
  const groups = new Map<string, string>();
  const mounts = new Map<string, { readonly root: string; readonly place: string }>();
  for (const line of textOf('/proc/self/mountinfo').split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [type, , options = ''] = after.split(' ');
    const [, , , root = '', place = ''] = before.split(' ');
    if (type === 'cgroup2') mounts.set('', { root, place });
    if (type === 'cgroup') for (const name of options.split(',')) mounts.set(name, { root, place });
  }
  for (const line of textOf('/proc/self/cgroup').split('\n')) {
    const [, names = '', ...rest] = line.split(':');
    const path = rest.join(':');
    for (const name of names.split(',')) {
      const mount = mounts.get(name);
      if (!mount || path === '') continue;
      // In a container, the mount shows only the container's part of the hierarchy.
      const within = mount.root !== '/' && path.startsWith(mount.root) ? path.slice(mount.root.length) : path;
      const folder = join(mount.place, within);
      groups.set(name, existsSync(folder) ? folder : mount.place);
    }
  }
  return groups;
}

function findVersion2(): Enclosures | undefined {
  const own = ownGroups().get('');
  if (own === undefined) return undefined;
  const base = basename(own) === OWN_GROUP ? dirname(own) : own;
  const offered = textOf(join(base, 'cgroup.controllers')).trim().split(' ');
  if (!CONTROLLERS.every((name) => offered.includes(name))) return undefined;
  if (
    !isWritable(base) ||
    !isWritable(join(base, 'cgroup.subtree_control')) ||
    !isWritable(join(base, 'cgroup.procs'))
  ) {
    return undefined;
  }
  let folder: string | undefined;
  return {
    sentence: 'the kernel limits memory and processes (cgroup v2)',
    endLeft: () => removeLeft([base]),
    make: (name, limits) => {
      folder ??= prepareVersion2(base, offered);
      return new Version2(join(folder, name), limits);
    },
    close: () => {
      if (folder !== undefined) removeSoon([folder]);
    },
  };
}

/** Makes the group of all programs of this host. */
function prepareVersion2(base: string, offered: readonly string[]): string {
  const wanted = [...CONTROLLERS, 'cpu'].filter((name) => offered.includes(name));
  const enable = (folder: string) => {
    writeFileSync(join(folder, 'cgroup.subtree_control'), wanted.map((name) => `+${name}`).join(' '));
  };
  try {
    enable(base);
  } catch {
    // The group has processes: those of this server.
    const own = join(base, OWN_GROUP);
    mkdirSync(own, { recursive: true });
    for (const pid of processesIn(base)) tryWrite(join(own, 'cgroup.procs'), String(pid));
    enable(base);
  }
  const folder = join(base, groupName());
  mkdirSync(folder);
  enable(folder);
  tryWrite(join(folder, 'cpu.weight'), String(WEIGHT));
  return folder;
}

class Version2 implements Enclosure {
  readonly #folder: string;
  readonly #limits: ProgramLimits;

  constructor(folder: string, limits: ProgramLimits) {
    this.#folder = folder;
    this.#limits = limits;
    mkdirSync(folder);
    writeFileSync(join(folder, 'memory.max'), String(limits.memoryBytes));
    writeFileSync(join(folder, 'pids.max'), String(limits.tasks));
    // Absent if the kernel has no swap.
    tryWrite(join(folder, 'memory.swap.max'), '0');
    tryWrite(join(folder, 'memory.oom.group'), '1');
    tryWrite(join(folder, 'cpu.max'), `${processorsOfOne() * PERIOD_MICROSECONDS} ${PERIOD_MICROSECONDS}`);
  }

  add(pids: readonly number[]): void {
    for (const pid of pids) tryWrite(join(this.#folder, 'cgroup.procs'), String(pid));
  }

  entering(): readonly string[] {
    return enteringWords([this.#folder]);
  }

  memoryBytes(): number {
    const facts = factsIn(join(this.#folder, 'memory.stat'));
    return (facts.get('anon') ?? 0) + (facts.get('shmem') ?? 0);
  }

  exceeded(): string | undefined {
    const { memoryBytes, tasks } = this.#limits;
    if ((factsIn(join(this.#folder, 'memory.events')).get('oom_kill') ?? 0) > 0) return memoryReason(memoryBytes);
    return (factsIn(join(this.#folder, 'pids.events')).get('max') ?? 0) > 0 ? tasksReason(tasks) : undefined;
  }

  kill(): void {
    if (!tryWrite(join(this.#folder, 'cgroup.kill'), '1')) killIn(this.#folder);
  }

  remove(): void {
    removeSoon([this.#folder]);
  }
}

function findVersion1(): Enclosures | undefined {
  const groups = ownGroups();
  const writable = [...CONTROLLERS, 'cpu'].flatMap((controller) => {
    const base = groups.get(controller);
    return base !== undefined && isWritable(base) ? [[controller, base] as const] : [];
  });
  const bases = new Map(writable);
  if (!CONTROLLERS.every((controller) => bases.has(controller))) return undefined;
  let name: string | undefined;
  return {
    sentence: 'the kernel limits memory and processes (cgroup v1)',
    endLeft: () => removeLeft([...bases.values()]),
    make: (program, limits) => {
      name ??= prepareVersion1(bases);
      const folders = writable.map(([controller, base]) => [controller, join(base, name ?? '', program)] as const);
      return new Version1(new Map(folders), limits);
    },
    close: () => {
      if (name !== undefined) removeSoon([...bases.values()].map((base) => join(base, name ?? '')));
    },
  };
}

function prepareVersion1(bases: ReadonlyMap<string, string>): string {
  const name = groupName();
  for (const base of bases.values()) mkdirSync(join(base, name));
  const cpu = bases.get('cpu');
  const shares = Math.round((WEIGHT / USUAL_WEIGHT) * USUAL_SHARES);
  if (cpu !== undefined) tryWrite(join(cpu, name, 'cpu.shares'), String(shares));
  return name;
}

class Version1 implements Enclosure {
  /** Folders by the name of the controller. */
  readonly #folders: ReadonlyMap<string, string>;
  readonly #memory: string;
  readonly #pids: string;
  readonly #limits: ProgramLimits;

  constructor(folders: ReadonlyMap<string, string>, limits: ProgramLimits) {
    this.#folders = folders;
    this.#memory = folders.get('memory') ?? '';
    this.#pids = folders.get('pids') ?? '';
    this.#limits = limits;
    for (const folder of folders.values()) mkdirSync(folder);
    writeFileSync(join(this.#memory, 'memory.limit_in_bytes'), String(limits.memoryBytes));
    // Limit including swap; absent if the kernel does not count swap.
    tryWrite(join(this.#memory, 'memory.memsw.limit_in_bytes'), String(limits.memoryBytes));
    writeFileSync(join(this.#pids, 'pids.max'), String(limits.tasks));
    const cpu = folders.get('cpu');
    if (cpu !== undefined) tryWrite(join(cpu, 'cpu.cfs_quota_us'), String(processorsOfOne() * PERIOD_MICROSECONDS));
  }

  add(members: readonly number[]): void {
    for (const pid of members) {
      for (const folder of this.#folders.values()) tryWrite(join(folder, 'cgroup.procs'), String(pid));
    }
  }

  entering(): readonly string[] {
    return enteringWords([...this.#folders.values()]);
  }

  memoryBytes(): number {
    const facts = factsIn(join(this.#memory, 'memory.stat'));
    return (facts.get('total_rss') ?? 0) + (facts.get('total_shmem') ?? 0);
  }

  exceeded(): string | undefined {
    const { memoryBytes, tasks } = this.#limits;
    if ((factsIn(join(this.#memory, 'memory.oom_control')).get('oom_kill') ?? 0) > 0) return memoryReason(memoryBytes);
    return (factsIn(join(this.#pids, 'pids.events')).get('max') ?? 0) > 0 ? tasksReason(tasks) : undefined;
  }

  kill(): void {
    for (const folder of this.#folders.values()) killIn(folder);
  }

  remove(): void {
    removeSoon([...this.#folders.values()]);
  }
}

/** Each program enters its groups before it runs, so that nothing can be started in between. */
function enteringWords(folders: readonly string[]): readonly string[] {
  const files = folders.map((folder) => join(folder, 'cgroup.procs'));
  const script = `${files.map((_, at) => `echo $$ > "$${at}"`).join(' && ')} && shift ${files.length - 1} && unset PWD OLDPWD SHLVL && exec "$@"`;
  return ['/bin/sh', '-c', script, ...files];
}

/** A program leaves one processor free, if there is more than one. */
function processorsOfOne(): number {
  return Math.max(1, cpus().length - 1);
}

function memoryReason(bytes: number): string {
  return `it used more than ${Math.floor(bytes / 1_048_576)} MB of memory`;
}

function tasksReason(tasks: number): string {
  return `it started more than ${counted(tasks, 'process or thread', 'processes and threads')}`;
}

/** Contains the process that it belongs to, for the next host; one process may have several groups. */
function groupName(): string {
  return `${PREFIX}.${process.pid}.${factsOf(process.pid)?.startTime ?? ''}.${newId()}`;
}

/** Removes the groups of ended hosts, and kills the processes in them. */
function removeLeft(bases: readonly string[]): void {
  for (const base of bases) {
    for (const name of foldersIn(base)) {
      const [prefix, pid, start] = name.split('.');
      const owner = factsOf(Number(pid));
      if (prefix !== PREFIX || (owner !== undefined && !owner.ended && owner.startTime === start)) continue;
      const folder = join(base, name);
      const groups = [...foldersIn(folder).map((inner) => join(folder, inner)), folder];
      for (const group of groups) killIn(group);
      removeSoon(groups);
    }
  }
}

/** A group can be removed once its parent has noticed the end of its last process. */
function removeSoon(folders: readonly string[], tries = REMOVE_TRIES): void {
  const left = folders.filter((folder) => {
    try {
      rmdirSync(folder);
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ENOENT';
    }
  });
  if (left.length === 0 || tries === 0) return;
  setTimeout(
    guarded('the removal of a control group', () => {
      for (const folder of left) killIn(folder);
      removeSoon(left, tries - 1);
    }),
    REMOVE_MILLISECONDS,
  ).unref();
}

function killIn(folder: string): void {
  for (const pid of processesIn(folder)) signal(pid, 'SIGKILL');
}

function processesIn(folder: string): number[] {
  return textOf(join(folder, 'cgroup.procs')).split('\n').filter(Boolean).map(Number);
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Parses lines of a name and a number. */
function factsIn(file: string): Map<string, number> {
  return new Map(
    textOf(file)
      .split('\n')
      .map((line) => {
        const [name = '', value] = line.split(' ');
        return [name, Number(value)];
      }),
  );
}

/** Empty if the file is unreadable. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

function tryWrite(file: string, text: string): boolean {
  try {
    writeFileSync(file, text);
    return true;
  } catch {
    return false;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
