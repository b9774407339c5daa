/** Serves a host to the servers that connect to its socket. */
import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TargetPolicy } from '../../../outbound/guard.ts';
import { foreignClaims, NO_CLAIMS, ownClaims, watchClaims } from '../../../outbound/own-endpoints.ts';
import { VERSION } from '../../../values/versions.ts';
import { Channel } from '../boundary/channel.ts';
import { errorOf, faultOf } from '../boundary/faults.ts';
import type { Host, HostListener } from '../boundary/host.ts';
import type { Incoming } from '../boundary/streams.ts';
import {
  type Asks,
  type HostAsks,
  type HostTells,
  type Opens,
  type TargetsOnTheWire,
  type Tells,
  targetsFromWire,
} from '../boundary/wire.ts';
import type { ProgramHost, ProgramUser } from './program-host.ts';

/** Lifetime of permissive targets: private addresses are allowed only until the first account exists. */
const TARGETS_KEPT_MILLISECONDS = 1000;

interface ServeOptions {
  readonly token: string;
  /** Called when a server has disconnected. */
  left(): void;
}

/** One server. */
export function serveHost(programs: ProgramHost, socket: Socket, { token, left }: ServeOptions): void {
  let host: ProgramUser | undefined;
  const targets = new KeptTargets(() => channel.ask('targets', null) as Promise<TargetsOnTheWire>);
  const endClaims = watchClaims(() => tell('claims', ownClaims()));
  const channel: Channel = new Channel(socket, {
    firstCall: 1,
    asked: (method, given, signal) => asked(method as keyof Asks, given, signal),
    told: (method, given) => told(method as keyof Tells, given),
    opened: ({ generation, method, headers }: Opens, stream) => {
      const known = greeted();
      receive(stream, (body, sink) => known.send(generation, { method, headers: { ...headers }, body }, sink));
    },
    faultOf,
    errorOf,
    closed: () => {
      endClaims();
      foreignClaims(channel, NO_CLAIMS);
      const leaving = host?.close() ?? Promise.resolve();
      leaving.finally(left).catch(() => {});
    },
  });
  const listener: HostListener = {
    reported: (serverId, report) => tell('reported', { serverId, report }),
    left: (generation) => tell('left', { generation }),
    printed: async (owner, lines) => {
      await ask('printed', { owner, lines });
    },
    targets: () => targets.current(),
    faulted: (what, error) => tell('faulted', { what, message: error instanceof Error ? error.message : 'unknown' }),
    lost() {},
  };

  function tell<Method extends keyof HostTells>(method: Method, given: HostTells[Method]): void {
    channel.tell(method, given);
  }

  function ask<Method extends keyof HostAsks>(method: Method, given: HostAsks[Method]): Promise<unknown> {
    return channel.ask(method, given);
  }

  function greeted(): ProgramUser {
    if (!host) throw new Error('The server has not identified itself.');
    return host;
  }

  async function asked(method: keyof Asks, given: unknown, signal: AbortSignal): Promise<unknown> {
    switch (method) {
      case 'hello':
        return hello(given as Asks['hello']);
      case 'use':
        return greeted().use(given as Asks['use']);
      case 'forget':
        return greeted().forget((given as Asks['forget']).serverId);
      case 'try': {
        const { spec, owner } = given as Asks['try'];
        return greeted().try(spec, owner);
      }
      case 'takeBuildPlace':
        return greeted().takeBuildPlace();
      case 'build':
        return greeted().build(given as Asks['build'], signal);
      case 'removeBuilds': {
        const { serverId, buildIds } = given as Asks['removeBuilds'];
        return greeted().removeBuilds(serverId, buildIds);
      }
      case 'removeUploads':
        return greeted().removeUploads((given as Asks['removeUploads']).ids);
      case 'close': {
        const leaving = host;
        host = undefined;
        await leaving?.close((given as Asks['close']).ends);
        return null;
      }
    }
  }

  function hello({ token: shown, build, claims }: Asks['hello']): null {
    const [wanted, given] = [Buffer.from(token), Buffer.from(shown)];
    if (wanted.length !== given.length || !timingSafeEqual(wanted, given) || build !== VERSION) {
      channel.close();
      throw new Error('The server does not know this host.');
    }
    foreignClaims(channel, claims);
    host = programs.connect(listener);
    return null;
  }

  function told(method: keyof Tells, given: unknown): void {
    switch (method) {
      case 'holdUntil':
        host?.holdUntil((given as Tells['holdUntil']).until);
        break;
      case 'underWay': {
        const { generation, calls } = given as Tells['underWay'];
        host?.tell(generation, calls);
        break;
      }
      case 'replace': {
        const { serverId, reason } = given as Tells['replace'];
        host?.replace(serverId, reason);
        break;
      }
      case 'giveBuildPlaceBack':
        host?.giveBuildPlaceBack();
        break;
      case 'claims':
        foreignClaims(channel, given as Tells['claims']);
        break;
    }
  }
}

type Send = (body: Buffer | null, sink: Parameters<Host['send']>[2]) => ReturnType<Host['send']>;

/** Forwards a request after its body has arrived. */
function receive(stream: Incoming, send: Send): void {
  const pieces: Buffer[] = [];
  let call: ReturnType<Send> | undefined;
  stream.onAbort(() => call?.abort());
  stream.onDrain(() => call?.resume());
  stream.onData((piece) => {
    if (piece) {
      pieces.push(piece);
      return;
    }
    const body = pieces.length === 0 ? null : Buffer.concat(pieces);
    call = send(body, {
      begin: (status, headers) => stream.head({ status, headers }),
      data: (chunk) => stream.data(chunk),
      end: () => stream.end(),
      fail: (error) => stream.fail(error),
    });
  });
}

/** Once private addresses are refused, the targets are kept; until then they are read again. */
class KeptTargets {
  readonly #ask: () => Promise<TargetsOnTheWire>;
  #kept: { readonly policy: TargetPolicy; readonly at: number } | undefined;

  constructor(ask: () => Promise<TargetsOnTheWire>) {
    this.#ask = ask;
  }

  async current(): Promise<TargetPolicy> {
    const kept = this.#kept;
    if (kept && (!kept.policy.allowPrivate || performance.now() - kept.at < TARGETS_KEPT_MILLISECONDS)) {
      return kept.policy;
    }
    const policy = targetsFromWire(await this.#ask());
    this.#kept = { policy, at: performance.now() };
    return policy;
  }
}
