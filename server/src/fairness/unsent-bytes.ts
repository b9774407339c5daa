/** Limits the memory that live streams use for slow readers: of the process, of one workspace, of one caller. */
import { CappedShares } from './capped-shares.ts';
import type { Release } from './places.ts';

const MEGABYTE = 1024 * 1024;
const MOST = 128 * MEGABYTE;
const MOST_OF_WORKSPACE = 64 * MEGABYTE;
const MOST_OF_CALLER = 32 * MEGABYTE;
/** Memory of each frame that waits at a socket, besides its bytes. */
const FRAME_BYTES = 1024;

interface UnsentLimits {
  readonly most: number;
  readonly mostOfWorkspace: number;
  readonly mostOfCaller: number;
}

export class UnsentBytes {
  readonly #ofWorkspaces: CappedShares;
  readonly #ofCallers: CappedShares;
  /** Number of times that each caller and each workspace waits with the same bytes. */
  readonly #waiting = new WeakMap<Buffer, Map<string, number>>();

  constructor({ most, mostOfWorkspace, mostOfCaller }: Partial<UnsentLimits> = {}) {
    this.#ofWorkspaces = new CappedShares(most ?? MOST, mostOfWorkspace ?? MOST_OF_WORKSPACE);
    this.#ofCallers = new CappedShares(Number.POSITIVE_INFINITY, mostOfCaller ?? MOST_OF_CALLER);
  }

  /**
   * Counts `bytes` until they are released. The same bytes at any number of sockets count once for each share. Undefined
   * when there is no room for them.
   */
  hold(bytes: Buffer, workspace: number, caller: string): Release | undefined {
    const ofWorkspace = this.#take(this.#ofWorkspaces, String(workspace), bytes);
    const ofCaller = ofWorkspace && this.#take(this.#ofCallers, `${workspace} ${caller}`, bytes);
    if (ofWorkspace && ofCaller) {
      return () => {
        ofWorkspace();
        ofCaller();
      };
    }
    ofWorkspace?.();
    return undefined;
  }

  #take(shares: CappedShares, share: string, bytes: Buffer): Release | undefined {
    const waiting = this.#waiting.get(bytes) ?? new Map<string, number>();
    const times = waiting.get(share) ?? 0;
    if (!shares.take(share, FRAME_BYTES + (times === 0 ? bytes.length : 0))) return undefined;
    waiting.set(share, times + 1);
    this.#waiting.set(bytes, waiting);
    return () => {
      const left = (waiting.get(share) ?? 1) - 1;
      if (left > 0) waiting.set(share, left);
      else waiting.delete(share);
      shares.giveBack(share, FRAME_BYTES + (left > 0 ? 0 : bytes.length));
    };
  }
}
