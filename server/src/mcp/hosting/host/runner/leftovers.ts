/** The folders that programs and builds leave behind: removed at their end, and by the next server where that failed. */
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../../../values/id.ts';
import { removeAll } from '../machine/removal.ts';
import type { Folders } from './folders.ts';

export class Leftovers {
  readonly #folders: Folders;
  readonly #failed: (what: string, error: unknown) => void;

  constructor(folders: Folders, failed: (what: string, error: unknown) => void) {
    this.#folders = folders;
    this.#failed = failed;
  }

  /** Never rejects. It reports what it cannot remove, and `sweep` tries again. An absent path is fine. */
  async remove(path: string): Promise<void> {
    const place = join(this.#folders.removed, newId());
    try {
      await mkdir(this.#folders.removed, { recursive: true, mode: 0o700 });
      await rename(path, place);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      // It may not change its parent. Then it is removed where it is.
      await this.#removeAt(path);
      return;
    }
    await this.#removeAt(place);
  }

  /** Removes what servers on this machine that are gone have left. Never rejects, and goes on after a failure. */
  async sweep(): Promise<void> {
    for (const path of await this.#folders.leftRuns()) await this.remove(path);
    const { removed } = this.#folders;
    for (const name of await readdir(removed).catch(() => [])) await this.#removeAt(join(removed, name));
  }

  async #removeAt(path: string): Promise<void> {
    try {
      await removeAll(path);
    } catch (error) {
      this.#failed(`the removal of ${path}, which the next start tries again`, error);
    }
  }
}
