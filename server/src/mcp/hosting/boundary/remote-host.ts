/**
 * A host in a process of its own, which its keeper starts on demand, and again after it has ended. It is reached by
 * its address: a socket in a folder that only this user of the machine may enter.
 */
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ForeignSource, PacedReader } from '../../../fairness/foreign-work/paced-reader.ts';
import { foreignClaims, NO_CLAIMS, ownClaims, watchClaims } from '../../../outbound/own-endpoints.ts';
import { BoundedMap } from '../../../values/bounded-map.ts';
import { VERSION } from '../../../values/versions.ts';
import { inBackground } from '../../../watching/background.ts';
import type { OutputOwner } from '../../upstream/hosted-servers.ts';
import { type AnswerSink, type UpstreamCall, UpstreamError, type UpstreamRequest } from '../../upstream/upstream.ts';
import { Channel, ChannelClosed } from './channel.ts';
import { errorOf, faultOf, unreachable } from './faults.ts';
import type { BuildOrder, BuildResult, Host, HostListener, ProgramSpec, Use } from './host.ts';
import { type HostKeeper, type KeptHost, OwnHost } from './keeper.ts';
import type { HostSettings } from './settings.ts';
import { type Asks, type Head, type HostAsks, type HostTells, type Opens, type Tells, targetsToWire } from './wire.ts';

/** Time that a new use waits for a host that is starting. */
const WAIT_MILLISECONDS = 2000;
/** Pause between two starts when hosts end immediately. */
const PAUSE_MILLISECONDS = 500;
const MOST_SOURCES = 10_000;

export class RemoteHost implements Host {
  readonly #settings: HostSettings;
  readonly #listener: HostListener;
  #channel: Promise<Channel> | undefined;
  readonly #keeper: HostKeeper;
  #kept: KeptHost | undefined;
  /** The programs, by generation. */
  readonly #sources = new BoundedMap<number, ForeignSource>({ name: 'programs that send', most: MOST_SOURCES });
  #startedAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(settings: HostSettings, listener: HostListener, keeper: HostKeeper = new OwnHost()) {
    this.#settings = settings;
    this.#listener = listener;
    this.#keeper = keeper;
  }

  /** The process of the host; undefined while none runs. */
  get pid(): number | undefined {
    return this.#kept?.pid;
  }

  wake(): void {
    inBackground('the start of the host of programs', () => this.#connected());
  }

  async use(spec: ProgramSpec): Promise<Use> {
    const channel = await this.#connectedSoon();
    try {
      return (await this.#ask(channel, 'use', spec)) as Use;
    } catch (error) {
      throw error instanceof ChannelClosed ? startsAgain() : error;
    }
  }

  holdUntil(until: number): void {
    this.#tell('holdUntil', { until });
  }

  tell(generation: number, calls: number): void {
    this.#tell('underWay', { generation, calls });
  }

  send(generation: number, { method, headers, body }: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    let call: UpstreamCall | undefined;
    let aborted = false;
    const source = this.#sources.getOrMake(generation, () => new ForeignSource());
    const reader = new PacedReader(source, () => call?.resume());
    const fail = (error: unknown) => {
      reader.end();
      sink.fail(unreachable(error));
    };
    const begin = async () => {
      if (!this.#channel) throw new UpstreamError('connection', 'The server has ended.');
      const channel = await this.#channel;
      if (aborted) return;
      call = channel.open({ generation, method, headers } satisfies Opens, body, {
        head: ({ status, headers: answered }: Head) => sink.begin(status, answered),
        data: (piece) => reader.read(() => sink.data(piece)),
        end: () => {
          reader.end();
          sink.end();
        },
        fail,
      });
    };
    inBackground('a request to a hosted server', () => begin().catch(fail));
    return {
      abort: () => {
        aborted = true;
        reader.end();
        call?.abort();
      },
      resume: () => reader.resume(),
    };
  }

  replace(serverId: string, reason: string): void {
    this.#tell('replace', { serverId, reason });
  }

  async forget(serverId: string): Promise<void> {
    await this.#askTwice('forget', { serverId });
  }

  async try(spec: ProgramSpec, owner: OutputOwner): Promise<string | undefined> {
    return ((await this.#ask(await this.#connected(), 'try', { spec, owner })) as string | null) ?? undefined;
  }

  async takeBuildPlace(): Promise<boolean> {
    return (await this.#ask(await this.#connected(), 'takeBuildPlace', null)) as boolean;
  }

  giveBuildPlaceBack(): void {
    this.#tell('giveBuildPlaceBack', null);
  }

  async build(order: BuildOrder, signal: AbortSignal): Promise<BuildResult> {
    try {
      return (await this.#ask(await this.#connected(), 'build', order, signal)) as BuildResult;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  async removeBuilds(serverId: string, buildIds: readonly string[]): Promise<void> {
    if (buildIds.length > 0) await this.#askTwice('removeBuilds', { serverId, buildIds });
  }

  async removeUploads(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#askTwice('removeUploads', { ids });
  }

  async close(): Promise<boolean> {
    this.#closed = true;
    const ends = await this.#keeper.endsPrograms();
    const channel = await this.#channel?.catch(() => undefined);
    await channel?.ask('close', { ends }).catch(() => {});
    channel?.close();
    if (ends) await this.#kept?.end();
    return ends;
  }

  /** For requests that can be repeated: the next host gets it if the first has ended in the meantime. */
  async #askTwice<Method extends keyof Asks>(method: Method, given: Asks[Method]): Promise<void> {
    try {
      await this.#ask(await this.#connected(), method, given);
    } catch (error) {
      if (!(error instanceof ChannelClosed)) throw error;
      await this.#ask(await this.#connected(), method, given);
    }
  }

  #ask<Method extends keyof Asks>(channel: Channel, method: Method, given: Asks[Method], signal?: AbortSignal) {
    return channel.ask(method, given, signal);
  }

  /** Sends a notification. Without a running host none is started, because it would not need it. */
  #tell<Method extends keyof Tells>(method: Method, given: Tells[Method]): void {
    inBackground('news for the host of programs', async () =>
      (await this.#channel?.catch(() => undefined))?.tell(method, given),
    );
  }

  /** Throws UpstreamError when no host runs in time. */
  async #connectedSoon(): Promise<Channel> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), WAIT_MILLISECONDS);
    });
    // The first start is a part of the first use.
    const isFirst = this.#startedAt === Number.NEGATIVE_INFINITY;
    try {
      const connected = this.#connected();
      const channel = await (isFirst ? connected : Promise.race([connected, late]));
      if (channel) return channel;
    } catch (error) {
      this.#listener.faulted('the start of the host of programs', error);
    } finally {
      clearTimeout(timer);
    }
    throw startsAgain();
  }

  #connected(): Promise<Channel> {
    if (this.#closed) return Promise.reject(new UpstreamError('unavailable', 'The server is being stopped.', 1));
    this.#channel ??= this.#start().catch((error: unknown) => {
      this.#channel = undefined;
      throw error;
    });
    return this.#channel;
  }

  async #start(): Promise<Channel> {
    const wait = this.#startedAt + PAUSE_MILLISECONDS - performance.now();
    this.#startedAt = performance.now();
    if (wait > 0) await delay(wait);
    const kept = await this.#keeper.start(this.#settings);
    this.#kept = kept;
    return this.#greet(await kept.connect(), kept);
  }

  async #greet(socket: Socket, { token, abandon }: KeptHost): Promise<Channel> {
    const endClaims = watchClaims(() => channel.tell('claims', ownClaims()));
    const channel: Channel = new Channel(socket, {
      firstCall: 0,
      asked: (method, given) => this.#asked(method as keyof HostAsks, given),
      told: (method, given) => this.#told(method as keyof HostTells, given),
      opened: () => {},
      faultOf,
      errorOf,
      closed: () => {
        endClaims();
        foreignClaims(this, NO_CLAIMS);
        this.#channel = undefined;
        this.#sources.clear();
        abandon();
        if (!this.#closed) this.#listener.lost();
      },
    });
    await this.#ask(channel, 'hello', { token, build: VERSION, claims: ownClaims() });
    return channel;
  }

  async #asked(method: keyof HostAsks, given: unknown): Promise<unknown> {
    switch (method) {
      case 'printed': {
        const { owner, lines } = given as HostAsks['printed'];
        return this.#listener.printed(owner, lines);
      }
      case 'targets':
        return targetsToWire(await this.#listener.targets());
    }
  }

  #told(method: keyof HostTells, given: unknown): void {
    switch (method) {
      case 'reported': {
        const { serverId, report } = given as HostTells['reported'];
        this.#listener.reported(serverId, report);
        break;
      }
      case 'left': {
        const { generation } = given as HostTells['left'];
        this.#sources.delete(generation);
        this.#listener.left(generation);
        break;
      }
      case 'claims':
        foreignClaims(this, given as HostTells['claims']);
        break;
      case 'faulted': {
        const { what, message } = given as HostTells['faulted'];
        this.#listener.faulted(what, new Error(message));
        break;
      }
    }
  }
}

function startsAgain(): UpstreamError {
  return new UpstreamError('unavailable', 'The host of hosted servers is restarting. Try again.', 1);
}
