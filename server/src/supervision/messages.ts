/**
 * The messages between the supervisor and the processes that serve. They are JSON over the channel that Node opens
 * between a process and one that it forks. Processes of a later version are started by the supervisor of an earlier
 * one, so a change here that an earlier supervisor would not understand needs the next `PROTOCOL`.
 */
import type { HostSettings } from '../mcp/hosting/boundary/settings.ts';
import type { HostAddress } from '../mcp/hosting/boundary/start-host.ts';

export const PROTOCOL = 1;

/** The first message to a process. */
export interface Start {
  readonly kind: 'start';
  readonly protocol: number;
  /** The flags of the command line that name settings. */
  readonly flags: Readonly<Record<string, string>>;
  /** The place among the processes, from 0: the one more is for a process that takes over. */
  readonly slot: number;
  /** The number of processes that share the limits. */
  readonly processes: number;
  /** Names the supervisor among those of the installation. */
  readonly supervisor: string;
  /** The port on which the supervisor listens. */
  readonly port: number;
  /** Further ports of the supervisor, which targets of users must not reach. */
  readonly ports: readonly number[];
  /** True for the process that makes the link of the first account. */
  readonly offersSetUp: boolean;
}

/** The facts of a process that is ready. */
export interface Ready {
  readonly pid: number;
  readonly version: string;
  /** A sentence about the programs of users: do they run here, and how. */
  readonly hosting: string;
  readonly setUpToken: string | undefined;
}

/** The place of a host of programs. */
export interface HostPlace extends HostAddress {
  readonly pid: number;
}

/** The questions of a process, with their answers. */
export interface Questions {
  /** The host of programs for processes of this version; it is started if none runs. */
  host: { readonly given: { readonly build: string; readonly settings: HostSettings }; readonly answer: HostPlace };
  /** True if no other process uses the host, so that its programs end with this one. */
  endsHost: { readonly given: null; readonly answer: boolean };
}

export type Question = {
  [Name in keyof Questions]: { readonly name: Name; readonly given: Questions[Name]['given'] };
}[keyof Questions];

/** A metric with its values, as the library for metrics writes them. */
export interface SentMetric {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly aggregator: string;
  readonly values: readonly unknown[];
}

export type ToServing =
  | Start
  /** A connection follows as a handle. */
  | { readonly kind: 'connection'; readonly id: number }
  /** Run the background services: no other process of this machine does. */
  | { readonly kind: 'lead' }
  /** `/api/ready` says from now on that the server stops. */
  | { readonly kind: 'unready' }
  /** No connection follows. Finish the requests, and end. */
  | { readonly kind: 'drain' }
  | { readonly kind: 'answer'; readonly call: number; readonly value?: unknown; readonly problem?: string }
  | { readonly kind: 'measure'; readonly call: number }
  /** Answer at once, to show that the event loop turns. */
  | { readonly kind: 'ping' }
  /** Another process has committed rows of these tables. */
  | { readonly kind: 'news'; readonly origin: string; readonly tables: readonly string[] };

export type ToSupervisor =
  | { readonly kind: 'ready'; readonly ready: Ready }
  /** It cannot start, and the operator can correct that. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** The connection is here: it must not be handed to another process. */
  | { readonly kind: 'taken'; readonly id: number }
  /** Connections that have ended since the last such message. */
  | { readonly kind: 'closed'; readonly ids: readonly number[] }
  | { readonly kind: 'ask'; readonly call: number; readonly question: Question }
  /** The call is 0 for the last values, which nobody has asked for. */
  | { readonly kind: 'measured'; readonly call: number; readonly metrics: readonly SentMetric[] }
  | { readonly kind: 'pong' }
  | { readonly kind: 'news'; readonly origin: string; readonly tables: readonly string[] }
  /** It is in a wrong state: another one should take over before it ends. */
  | { readonly kind: 'faulted' };
