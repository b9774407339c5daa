/**
 * The living processes of the installation. Each writes that it lives every few seconds, by the clock that all share, and
 * reads what the others have written; a message lets them read a change at once.
 */
import { ANY, type Hub } from '../changes/hub.ts';
import { deletePeer, deletePeersBefore, listPeers, putPeer } from '../database/peer-rows.ts';
import type { Store } from '../database/store.ts';
import type { Row } from '../database/tables/tables.ts';
import { foreignClaims, NO_CLAIMS, watchClaims } from '../outbound/own-endpoints.ts';
import { jsonTextOf } from '../values/json.ts';
import { addSeconds, type Clock, secondsBetween, type Timestamp } from '../values/time.ts';
import { VERSION } from '../values/versions.ts';
import { guarded } from '../watching/background.ts';
import { claimsHere, type MachineClaims, seenFromHere } from './machine-claims.ts';

const BEAT_MILLISECONDS = 5000;
/** A process that has not written for this long counts as gone. */
export const LIVING_SECONDS = 15;
/** Rows of processes that were killed are deleted after this time. */
const FORGET_SECONDS = 3600;
/** Changes of this time are written together. */
const GATHER_MILLISECONDS = 20;

export type Peer = Pick<Row<'peer'>, 'id' | 'address' | 'host'>;

interface DirectoryParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly hub: Hub;
}

export class PeerDirectory {
  /** The name of this process. */
  readonly id: string;
  readonly #parts: DirectoryParts;
  /** The living ones, without this process. */
  #others: ReadonlyMap<string, Row<'peer'>> = new Map();
  #address = '';
  #host: string | null = null;
  #beat: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  /** A look that has not begun. */
  #next: Promise<void> | undefined;
  #hasChanged = false;
  /** Time of the last look that the database took. */
  #wroteAt: Timestamp;
  #graceUntil: Timestamp;
  #stopHearing = () => {};
  #isStopped = false;
  /** An object for the claims of each. */
  readonly #sources = new Map<string, object>();
  readonly #gone = new Set<(id: string) => void>();

  constructor(id: string, parts: DirectoryParts) {
    this.id = id;
    this.#parts = parts;
    this.#wroteAt = parts.clock.now();
    this.#graceUntil = this.#wroteAt;
  }

  /**
   * Writes that this process lives at this address, and keeps doing it until `stop`. `host` is the name of its host of
   * foreign programs, null if it runs none.
   */
  async start(address: string, host: string | null): Promise<void> {
    this.#address = address;
    this.#host = host;
    // A database that is away now takes it later.
    await this.#look(true);
    this.#beat = setInterval(
      guarded('the sign that this server lives', () => this.#look(false)),
      BEAT_MILLISECONDS,
    ).unref();
    const stopWatching = watchClaims(() => this.#changed());
    const stopHearing = this.#parts.hub.hear('peers', ANY, (_what, id) =>
      id === this.id ? undefined : this.#look(false),
    );
    this.#stopHearing = () => {
      stopWatching();
      stopHearing();
    };
  }

  /** The number of living processes, with this one. */
  get count(): number {
    return this.#others.size + 1;
  }

  get others(): readonly Peer[] {
    return [...this.#others.values()];
  }

  /** Undefined if it has ended, or has not written for a while. */
  async find(id: string): Promise<Peer | undefined> {
    if (!this.#others.has(id)) await this.#look(false);
    return this.#others.get(id);
  }

  /** True if it lives, by what the database says now. */
  async lives(id: string): Promise<boolean> {
    await this.#look(false);
    return this.#others.has(id);
  }

  /** The process whose host of foreign programs has this name. */
  async servingHost(host: string): Promise<Peer | undefined> {
    const find = () => this.others.find((peer) => peer.host === host);
    const known = find();
    if (known) return known;
    await this.#look(false);
    return find();
  }

  /** Calls `act` with each process that has ended or fallen silent. */
  whenGone(act: (id: string) => void): void {
    this.#gone.add(act);
  }

  /** Takes this process out of the list. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearInterval(this.#beat);
    clearTimeout(this.#soon);
    this.#stopHearing();
    await this.#working;
    this.#take([]);
    // The others notice it anyway if the database is away.
    await this.#parts.store.platform.transaction((tx) => tx.run(deletePeer, { id: this.id })).catch(() => {});
    this.#parts.hub.tell('peers', this.id, undefined);
  }

  #changed(): void {
    this.#soon ??= setTimeout(
      guarded('a change of this server for the others', () => {
        this.#soon = undefined;
        return this.#look(true);
      }),
      GATHER_MILLISECONDS,
    ).unref();
  }

  /**
   * All who ask while a look is under way share the next one. Never rejects: the next look repeats what the database did
   * not take.
   */
  #look(hasChanged: boolean): Promise<void> {
    this.#hasChanged ||= hasChanged;
    this.#next ??= this.#working.then(async () => {
      this.#next = undefined;
      const changed = this.#hasChanged;
      this.#hasChanged = false;
      if (!this.#isStopped) await this.#write(changed).catch(() => {});
    });
    this.#working = this.#next;
    return this.#next;
  }

  async #write(hasChanged: boolean): Promise<void> {
    const { store, clock, hub } = this.#parts;
    const row: Row<'peer'> = {
      id: this.id,
      address: this.#address,
      build: VERSION,
      host: this.#host,
      claims: jsonTextOf(claimsHere()),
      seen: clock.now(),
    };
    const { id } = row;
    const known = await store.platform.transaction(async (tx) => {
      await tx.run(deletePeersBefore, { seen: addSeconds(row.seen, -FORGET_SECONDS) });
      await tx.run(putPeer, row);
      return tx.all(listPeers);
    }, 'process');
    // A process that was cut off, as this one was, gets the time to write again.
    if (secondsBetween(this.#wroteAt, row.seen) > LIVING_SECONDS)
      this.#graceUntil = addSeconds(row.seen, LIVING_SECONDS);
    this.#wroteAt = row.seen;
    const isGrace = row.seen < this.#graceUntil;
    const lives = (one: Row<'peer'>) => ageOf(one, row.seen) < LIVING_SECONDS || (isGrace && this.#others.has(one.id));
    this.#take(known.filter((one) => one.id !== id && lives(one)));
    if (hasChanged) hub.tell('peers', id, undefined);
  }

  #take(living: readonly Row<'peer'>[]): void {
    const before = this.#others;
    this.#others = new Map(living.map((peer) => [peer.id, peer]));
    for (const { id, claims } of living) {
      if (before.get(id)?.claims === claims) continue;
      const source = this.#sources.get(id) ?? {};
      this.#sources.set(id, source);
      foreignClaims(source, seenFromHere(JSON.parse(claims) as MachineClaims));
    }
    for (const id of before.keys()) {
      if (this.#others.has(id)) continue;
      foreignClaims(this.#sources.get(id) ?? {}, NO_CLAIMS);
      this.#sources.delete(id);
      for (const act of this.#gone) act(id);
    }
  }
}

function ageOf({ seen }: Row<'peer'>, now: Timestamp): number {
  return secondsBetween(seen, now);
}
