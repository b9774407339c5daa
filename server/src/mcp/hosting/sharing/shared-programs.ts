/**
 * The programs of hosted servers among several servers of the installation: each runs at one host, and the others pass
 * requests to the server of that host.
 */
import { request as connect } from 'node:https';
import { json } from 'node:stream/consumers';
import type { Peer } from '../../../peers/directory.ts';
import type { Peers } from '../../../peers/peers.ts';
import { guarded, inBackground } from '../../../watching/background.ts';
import type { ProcessReport } from '../../upstream/hosted-servers.ts';
import { machineTime } from '../boundary/host.ts';
import { hostAway, PeerUpstream, PROGRAMS_PATH } from './peer-upstream.ts';
import { type ProgramClaims, RENEW_MILLISECONDS } from './program-claims.ts';

/** A known way to another host is used for this long before the claim is read again. */
const WAY_MILLISECONDS = 1000;
const IDLE_WAY_MILLISECONDS = 300_000;
/** Longest wait for another server's answer about its programs. */
const ANSWER_MILLISECONDS = 2000;

/** The programs of the host here. */
interface OwnPrograms {
  /** Servers with programs here that run, start or are being ended. */
  held(): readonly string[];
  /** All programs here end at this time unless it is moved on. */
  holdUntil(until: number): void;
  /** Another host has the programs of this server. */
  lost(serverId: string): void;
}

interface Way {
  readonly peerId: string;
  readonly upstream: Promise<PeerUpstream>;
  /** Time of the last look at the claim. */
  at: number;
}

export class SharedPrograms {
  readonly #peers: Peers;
  readonly #claims: ProgramClaims;
  readonly #own: OwnPrograms;
  readonly #renewing: NodeJS.Timeout;
  /** By server. A way that is not used for a while is closed. */
  readonly #ways = new Map<string, Way>();
  #heldUntil = 0;

  constructor(peers: Peers, claims: ProgramClaims, own: OwnPrograms) {
    this.#peers = peers;
    this.#claims = claims;
    this.#own = own;
    this.#renewing = setInterval(
      guarded('the claims of hosted servers', () => this.#renew()),
      RENEW_MILLISECONDS,
    ).unref();
  }

  /** False when the programs here must not be used, because another host may run them. */
  get isHeld(): boolean {
    return machineTime() < this.#heldUntil;
  }

  /**
   * The way to the program at another host. Undefined if this host has claimed it, or no host can run it. `hasFiles` looks
   * whether this host could. Throws UpstreamError.
   */
  async elsewhere(serverId: string, hasFiles: () => Promise<boolean>): Promise<PeerUpstream | undefined> {
    const way = this.#ways.get(serverId);
    if (way && performance.now() - way.at < WAY_MILLISECONDS && this.#lives(way.peerId)) return way.upstream;
    if (await hasFiles()) {
      const host = await this.#take(serverId);
      return host === undefined ? undefined : this.#wayTo(serverId, await this.#serverOf(host));
    }
    const host = await this.#claims.find(serverId);
    if (host !== undefined && host !== this.#claims.host) return this.#wayTo(serverId, await this.#serverOf(host));
    for (const peer of this.#peers.directory.others) {
      if (peer.host === null) continue;
      const claimed = await this.#ask(peer, 'POST', `${PROGRAMS_PATH}/${serverId}/claim`).catch(() => false);
      if (claimed === true) return this.#wayTo(serverId, peer);
    }
    return undefined;
  }

  /** Claims a program for this host. Undefined if it has it, else the name of the host that has it. */
  async #take(serverId: string): Promise<string | undefined> {
    const claim = await this.#claims.take(serverId);
    if ('host' in claim) return claim.host;
    this.#hold(claim.until);
    this.#drop(serverId);
    return undefined;
  }

  /** True if this host has the program of a server, or has taken it now. */
  async claim(serverId: string): Promise<boolean> {
    return (await this.#take(serverId)) === undefined;
  }

  /** Tells the server of the host that has the program. */
  async replaceOutdated(serverId: string): Promise<void> {
    const host = await this.#claims.find(serverId);
    const peer = host === undefined || host === this.#claims.host ? undefined : await this.#serverOf(host);
    if (peer) await this.#ask(peer, 'POST', `${PROGRAMS_PATH}/${serverId}/replace-outdated`);
  }

  /** The states of the programs of the other hosts, by server. */
  async reports(): Promise<Readonly<Record<string, ProcessReport>>> {
    const hosts = this.#peers.directory.others.filter(({ host }) => host !== null);
    const found = await Promise.all(
      hosts.map((peer) => this.#ask(peer, 'GET', `${PROGRAMS_PATH}/reports`).catch(() => ({}))),
    );
    return Object.assign({}, ...found) as Readonly<Record<string, ProcessReport>>;
  }

  /** `haveEnded` is true when no program runs at this host any more. */
  async close(haveEnded: boolean): Promise<void> {
    clearInterval(this.#renewing);
    for (const serverId of this.#ways.keys()) this.#drop(serverId);
    // Without the database, the claims end by themselves.
    if (haveEnded) await this.#claims.release().catch(() => {});
  }

  #hold(until: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, until);
    this.#own.holdUntil(until);
  }

  /** Open calls fail: another server has the program, or nobody has used the way for long. */
  #drop(serverId: string): void {
    const way = this.#ways.get(serverId);
    this.#ways.delete(serverId);
    if (way) inBackground('the end of a way to another host', async () => (await way.upstream).close());
  }

  async #renew(): Promise<void> {
    for (const [serverId, way] of this.#ways) {
      const isIdle = performance.now() - way.at > IDLE_WAY_MILLISECONDS;
      if (isIdle && !(await way.upstream.catch(() => undefined))?.isUsed) this.#drop(serverId);
    }
    const held = this.#own.held();
    if (held.length === 0) return;
    try {
      const { until, lost } = await this.#claims.renew(held);
      this.#hold(until);
      for (const serverId of lost) this.#own.lost(serverId);
    } catch {
      // The database is away. The programs end unless it comes back in time.
    }
  }

  #lives(peerId: string): boolean {
    return this.#peers.directory.others.some(({ id }) => id === peerId);
  }

  async #serverOf(host: string): Promise<Peer> {
    const peer = await this.#peers.directory.servingHost(host);
    if (peer) return peer;
    throw hostAway();
  }

  #wayTo(serverId: string, peer: Peer): Promise<PeerUpstream> {
    const known = this.#ways.get(serverId);
    if (known?.peerId === peer.id) {
      known.at = performance.now();
      return known.upstream;
    }
    this.#drop(serverId);
    const upstream = PeerUpstream.open(this.#peers.wayTo(peer), serverId);
    this.#ways.set(serverId, { peerId: peer.id, upstream, at: performance.now() });
    return upstream;
  }

  /** Rejects when the other server does not answer in time. */
  #ask(peer: Peer, method: 'GET' | 'POST', path: string): Promise<unknown> {
    const { agent } = this.#peers.wayTo(peer);
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(ANSWER_MILLISECONDS);
      const request = connect({ agent, method, path, signal }, (response) => {
        json(response).then(resolve, reject);
      });
      request.on('error', reject);
      request.end();
    });
  }
}
