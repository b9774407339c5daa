/** Limits the open websockets or event streams of each workspace, and of each caller in it. */
import { callerOf } from '../../context/context.ts';
import { Gate, type Release } from '../../fairness/gate.ts';
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
  readonly #gate: Gate;

  constructor({ maxSocketsOfWorkspace, maxSocketsOfCaller }: OpenPlacesOptions) {
    const levels = [{ most: maxSocketsOfWorkspace }, { most: maxSocketsOfCaller }];
    this.#gate = new Gate({ name: 'open streams', places: Number.POSITIVE_INFINITY, levels });
  }

  /** Takes a place and returns a function that gives it back. If there is none, returns whose limit is reached. */
  take({ workspace, actor, address }: Opener): Release | 'workspace' | 'caller' {
    const shares = [String(workspace), `${workspace} ${callerOf(actor, address)}`];
    return this.#gate.take(shares) ?? (this.#gate.refusalOf(shares) === 1 ? 'caller' : 'workspace');
  }
}
