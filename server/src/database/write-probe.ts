import { type PlatformStatement, platformStatement } from './statement.ts';

/** Time for which a result is valid: readiness checks may be frequent, and each write costs the disk. */
const FRESH_MILLISECONDS = 1000;
/** A database that does not answer in this time counts as one that accepts no writes. */
const PATIENCE_MILLISECONDS = 2000;

const touch = platformStatement<Record<string, never>, unknown>((query) =>
  query.updateTable('write_probe').set((row) => ({ writes: row('writes', '+', 1) })),
);

/** Tests whether the database accepts writes: it may be full, read-only or away, which reads do not reveal. */
export class WriteProbe {
  readonly #write: (write: PlatformStatement<Record<string, never>, unknown>) => Promise<unknown>;
  #outcome: Promise<boolean> | undefined;
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(write: (write: PlatformStatement<Record<string, never>, unknown>) => Promise<unknown>) {
    this.#write = write;
  }

  /**
   * Records that a write was refused for lack of space or permission: a write larger than the probe may fail where the
   * probe does not.
   */
  noteRefusal(): void {
    this.#refusedAt = performance.now();
  }

  async takesWrites(): Promise<boolean> {
    this.#outcome ??= this.#ask();
    const isTaken = await this.#outcome;
    return isTaken && performance.now() - this.#refusedAt > FRESH_MILLISECONDS;
  }

  async #ask(): Promise<boolean> {
    const forget = () => {
      this.#outcome = undefined;
    };
    const written = this.#write(touch).then(
      () => true,
      () => false,
    );
    const late = new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(false), PATIENCE_MILLISECONDS).unref();
    });
    const isTaken = await Promise.race([written, late]);
    setTimeout(forget, FRESH_MILLISECONDS).unref();
    return isTaken;
  }
}
