/** Limits the open websockets or event streams of each workspace, and of each caller in it. */
import { callerOf } from '../../context/context.ts';
import { CappedShares } from '../../fairness/capped-shares.ts';
import type { Actor } from '../../identity/access/access.ts';

interface OpenPlacesOptions {
  readonly maxSocketsOfWorkspace: number;
  readonly maxSocketsOfCaller: number;
}

/** The caller of a socket or a stream, and its workspace. */
export interface Opener {
  readonly workspace: number;
  /** Undefined if the access mode identifies no actor: then the address counts as the caller. */
  readonly actor: Actor | undefined;
  readonly address: string;
}

export class OpenPlaces {
  readonly #ofWorkspaces: CappedShares;
  readonly #ofCallers: CappedShares;

  constructor({ maxSocketsOfWorkspace, maxSocketsOfCaller }: OpenPlacesOptions) {
    this.#ofWorkspaces = new CappedShares(Number.POSITIVE_INFINITY, maxSocketsOfWorkspace);
    this.#ofCallers = new CappedShares(Number.POSITIVE_INFINITY, maxSocketsOfCaller);
  }

  /** Takes a place and returns a function that gives it back. If there is none, returns whose limit is reached. */
  take({ workspace, actor, address }: Opener): (() => void) | 'workspace' | 'caller' {
    const ofWorkspace = String(workspace);
    const ofCaller = `${workspace} ${callerOf(actor, address)}`;
    if (!this.#ofCallers.take(ofCaller)) return 'caller';
    if (!this.#ofWorkspaces.take(ofWorkspace)) {
      this.#ofCallers.giveBack(ofCaller);
      return 'workspace';
    }
    return () => {
      this.#ofCallers.giveBack(ofCaller);
      this.#ofWorkspaces.giveBack(ofWorkspace);
    };
  }
}
