/** Limits the memory that live streams use for slow readers: of the process, of one workspace, of one caller. */
import { Gate, type Release } from './gate.ts';

const MEGABYTE = 1024 * 1024;
const MOST_OF_WORKSPACE = 64 * MEGABYTE;
const MOST_OF_CALLER = 32 * MEGABYTE;
/** Memory of each frame that waits at a socket, besides its bytes. */
const FRAME_BYTES = 1024;

interface UnsentLimits {
  readonly most: number;
  readonly mostOfWorkspace?: number;
  readonly mostOfCaller?: number;
}

/** Bytes that a share holds once, for a number of its sockets. */
interface Waiting {
  times: number;
  readonly release: Release;
}

export class UnsentBytes {
  readonly #ofWorkspaces: Gate;
  readonly #ofCallers: Gate;
  /** The callers and workspaces that wait with the same bytes. */
  readonly #waiting = new WeakMap<Buffer, Map<string, Waiting>>();

  constructor({ most, mostOfWorkspace, mostOfCaller }: UnsentLimits) {
    this.#ofWorkspaces = new Gate({
      name: 'live streams',
      places: most,
      levels: [{ most: mostOfWorkspace ?? MOST_OF_WORKSPACE }],
    });
    this.#ofCallers = new Gate({
      name: 'live streams of a caller',
      places: Number.POSITIVE_INFINITY,
      levels: [{ most: mostOfCaller ?? MOST_OF_CALLER }],
    });
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

  #take(gate: Gate, share: string, bytes: Buffer): Release | undefined {
    const waiting = this.#waiting.get(bytes) ?? new Map<string, Waiting>();
    const frame = gate.take([share], FRAME_BYTES);
    const held = frame && (waiting.get(share) ?? this.#begin(gate, share, bytes));
    if (!held) {
      frame?.();
      return undefined;
    }
    held.times += 1;
    waiting.set(share, held);
    this.#waiting.set(bytes, waiting);
    return () => {
      frame();
      held.times -= 1;
      if (held.times > 0) return;
      waiting.delete(share);
      held.release();
    };
  }

  #begin(gate: Gate, share: string, { length }: Buffer): Waiting | undefined {
    const release = gate.take([share], length);
    return release && { times: 0, release };
  }
}
