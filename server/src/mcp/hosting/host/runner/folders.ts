/** The folders of hosting, all below one folder of the home folder. */
import { readdirSync } from 'node:fs';
import { cp, lstat, mkdir, readdir, symlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../../../values/id.ts';
import { factsOf } from '../machine/process-tree.ts';
import { handOver } from '../machine/program-user.ts';

export class Folders {
  readonly #root: string;

  constructor(home: string) {
    this.#root = join(home, 'hosting');
  }

  /** Files that record running processes. */
  get processes(): string {
    return join(this.#root, 'processes');
  }

  /** Files that are the same in each sandbox. */
  get sandbox(): string {
    return join(this.#root, 'sandbox');
  }

  /** Files that are being removed, or could not be removed. */
  get removed(): string {
    return join(this.#root, 'removed');
  }

  upload(id: string): string {
    return join(this.#root, 'uploads', `${id}.tar.gz`);
  }

  /** All builds of a server. */
  server(serverId: string): string {
    return join(this.#root, 'servers', serverId);
  }

  /** The result of a build, which never changes after the build has succeeded. */
  artifact(serverId: string, buildId: string): string {
    return join(this.server(serverId), buildId);
  }

  /**
   * A folder for one process, to be removed after its end: `work` is an empty folder, or a copy of `source` of the
   * artifact in which `shared` folders are links to those of the artifact, because they are large. Both belong to
   * `user`.
   */
  async makeRun(artifact: string | undefined, shared: readonly string[], user: number | undefined): Promise<Run> {
    const folder = join(this.#running, `${runOwner()}.${newId()}`);
    const work = join(folder, 'work');
    const temporary = join(folder, 'tmp');
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    if (artifact === undefined) await mkdir(work, { mode: 0o700 });
    else {
      const source = join(artifact, 'source');
      // A link that a program made here could lead the copy, and the next program, anywhere.
      if (!(await lstat(source)).isDirectory()) throw new Error('The source of a build is not a folder.');
      const left = new Set(shared.map((name) => join(source, name)));
      await cp(source, work, { recursive: true, verbatimSymlinks: true, filter: (path) => !left.has(path) });
      for (const name of shared) await symlink(join(source, name), join(work, name));
    }
    for (const path of [work, temporary]) await handOver(path, user);
    return { folder, work, temporary };
  }

  /** True when processes or files of earlier runs may be left. */
  holdLeftovers(): boolean {
    return [this.processes, this.removed, this.#running].some((folder) => {
      try {
        return readdirSync(folder).length > 0;
      } catch {
        return false;
      }
    });
  }

  get #running(): string {
    return join(this.#root, 'running');
  }

  /** The run folders of ended servers on this machine. */
  async leftRuns(): Promise<string[]> {
    const folder = this.#running;
    const left: string[] = [];
    for (const name of await readdir(folder).catch(() => [])) {
      const [host, pid, start] = name.split('.');
      const facts = factsOf(Number(pid));
      const isAlive = facts !== undefined && !facts.ended && facts.startTime === start;
      if (host === safeHost() && !isAlive) left.push(join(folder, name));
    }
    return left;
  }
}

interface Run {
  /** Contains the others; programs see no other part of it. */
  readonly folder: string;
  readonly work: string;
  readonly temporary: string;
}

function runOwner(): string {
  return `${safeHost()}.${process.pid}.${factsOf(process.pid)?.startTime ?? ''}`;
}

function safeHost(): string {
  return hostname().replace(/[^A-Za-z0-9-]/g, '_');
}
