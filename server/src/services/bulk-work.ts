import type { Context } from '../context/context.ts';
import { advanceBulkWorks, newTries } from '../orchestration/bulk-work/advance.ts';
import { secondsBetween } from '../values/time.ts';
import { guarded } from '../watching/background.ts';
import type { WorkspaceService } from './service.ts';

/** Changes the runs of bulk works. A new work wakes it, and it wakes itself when a work begins. */
export class BulkWork implements WorkspaceService {
  readonly name = 'bulk-work';
  readonly scope = 'workspace';
  readonly everySeconds = 5;
  /** By workspace; only while a work waits for its start. */
  readonly #starts = new Map<number, NodeJS.Timeout>();
  readonly #tries = newTries();

  async runOnce(context: Context): Promise<boolean> {
    const { isLeft, nextStart } = await advanceBulkWorks(context, this.#tries);
    if (nextStart !== undefined) this.#wakeIn(context, secondsBetween(context.now, nextStart));
    return isLeft;
  }

  async stop(): Promise<void> {
    for (const start of this.#starts.values()) clearTimeout(start);
  }

  #wakeIn({ server, workspace }: Context, seconds: number): void {
    clearTimeout(this.#starts.get(workspace));
    const wake = () => {
      this.#starts.delete(workspace);
      server.hub.tellHere('work', this.name, workspace);
    };
    this.#starts.set(
      workspace,
      setTimeout(guarded('the start of a bulk work', wake), Math.max(0, seconds * 1000)).unref(),
    );
  }
}
