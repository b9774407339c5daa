/** Removes the folders that programs and builds leave behind: at their end or, if that failed, by the next server. */
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

  /** Never rejects. It reports failures, and `sweep` tries again. An absent path is fine. */
  async remove(path: string): Promise<void> {
    const place = join(this.#folders.removed, newId());
    try {
      await mkdir(this.#folders.removed, { recursive: true, mode: 0o700 });
      await rename(path, place);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      // It may not change its parent folder, so it is removed in place.
      await this.#removeAt(path);
      return;
    }
    await this.#removeAt(place);
  }

  /** Removes the files that ended servers on this machine left behind. Never rejects, and continues after a failure. */
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
