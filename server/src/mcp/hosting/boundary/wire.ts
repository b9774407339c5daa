/** The encoding of the requests and notifications of a host: a name for each, with its content. */
import { BlockList } from 'node:net';
import type { TargetPolicy } from '../../../outbound/guard.ts';
import type { Claims } from '../../../outbound/own-endpoints.ts';
import type { OutputOwner } from '../../upstream/hosted-servers.ts';
import type { UpstreamRequest } from '../../upstream/upstream.ts';
import type { BuildOrder, HostReport, PrintedLine, ProgramSpec } from './host.ts';
import type { HostSettings } from './settings.ts';

/** The first line that a host reads from its standard input, which stays open while its server lives. */
export interface HostStart {
  readonly folder: string;
  readonly socket: string;
  readonly token: string;
  readonly settings: HostSettings;
}

/** The requests of a server to a host. */
export interface Asks {
  hello: { readonly token: string; readonly build: string; readonly claims: Claims };
  use: ProgramSpec;
  forget: { readonly serverId: string };
  try: { readonly spec: ProgramSpec; readonly owner: OutputOwner };
  takeBuildPlace: null;
  build: BuildOrder;
  removeBuilds: { readonly serverId: string; readonly buildIds: readonly string[] };
  removeUploads: { readonly ids: readonly string[] };
  /** `ends` is true if the programs end with this server. */
  close: { readonly ends: boolean };
}

/** The notifications of a server to a host. */
export interface Tells {
  holdUntil: { readonly until: number };
  underWay: { readonly generation: number; readonly calls: number };
  replace: { readonly serverId: string; readonly reason: string };
  giveBuildPlaceBack: null;
  claims: Claims;
}

/** A request to a program on stdin and stdout; its body follows. */
export type Opens = Pick<UpstreamRequest, 'method' | 'headers'> & { readonly generation: number };

export interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The requests of a host to a server. */
export interface HostAsks {
  printed: { readonly owner: OutputOwner; readonly lines: readonly PrintedLine[] };
  targets: null;
}

/** The notifications of a host to a server. */
export interface HostTells {
  reported: { readonly serverId: string; readonly report: HostReport };
  left: { readonly generation: number };
  claims: Claims;
  faulted: { readonly what: string; readonly message: string };
}

/** A policy in its encoded form. */
export interface TargetsOnTheWire {
  readonly allowPrivate: boolean;
  /** Rules in the format of `BlockList`. */
  readonly networks: readonly string[];
}

export function targetsToWire({ allowPrivate, networks }: TargetPolicy): TargetsOnTheWire {
  return { allowPrivate, networks: networks ? (networks.toJSON() as string[]) : [] };
}

export function targetsFromWire({ allowPrivate, networks }: TargetsOnTheWire): TargetPolicy {
  const list = new BlockList();
  list.fromJSON([...networks]);
  return { allowPrivate, networks: list };
}
