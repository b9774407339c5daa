/**
 * The context of an operation of the platform API: the caller, the organization, and the transaction for its changes.
 */

import type { PlatformDb, PlatformTx, Requester } from '../database/store.ts';
import type { Actor, OrganizationRole } from '../identity/access/access.ts';
import type { Caller } from '../identity/callers/identify-caller.ts';
import type { Timestamp } from '../values/time.ts';
import type { Server } from './context.ts';

export interface PlatformContext {
  readonly server: Server;
  /** Start of the request. */
  readonly now: Timestamp;
  /** The caller; undefined on public routes without a credential. */
  readonly caller: Caller | undefined;
  /** True for an expired key. `caller` is undefined then. */
  readonly hasExpiredKey?: boolean;
  /** Address of the client, for the audit and the limits of attempts. */
  readonly address: string;
  /** The cookie that recognizes a browser in which a person has signed in before; it gives no access. */
  readonly device: string | undefined;
  /** Scheme, host and path prefix of links: `https://signalbox.example`. */
  readonly origin: string;
  readonly db: PlatformDb;
  transaction<T>(work: (tx: PlatformTx) => Promise<T>): Promise<T>;
}

/** The context of a route below `/organizations/{org}`, after the access decision. */
export interface OrganizationContext extends PlatformContext {
  readonly caller: Caller;
  readonly organization: {
    readonly id: string;
    readonly name: string;
    readonly slug: string;
    /** The greatest key age that the organization accepts, in days; null for any. */
    readonly max_key_age_days: number | null;
    /** The caller's role in the organization. */
    readonly role: OrganizationRole;
  };
}

/** The author of a change, as the audit records it: the caller of a request, or an operator on the machine itself. */
export interface Author {
  readonly now: Timestamp;
  readonly caller: Caller | undefined;
  readonly address: string;
  /** True for a command on the machine, which has no caller. */
  readonly isOperator?: boolean;
}

/** The context of a change that an operator can make too. The context of a request satisfies it. */
export interface PlatformChange extends Author {
  readonly server: Pick<Server, 'defaultWorkspace' | 'prepareWorkspace' | 'hub'>;
  readonly db: PlatformDb;
  transaction<T>(work: (tx: PlatformTx) => Promise<T>): Promise<T>;
}

/** The context of a change within an organization. */
export interface OrganizationChange extends PlatformChange {
  readonly organization: { readonly id: string; readonly name: string };
}

export function createPlatformContext(
  server: Server,
  caller: Caller | undefined,
  address: string,
  origin: string,
  device?: string,
  requester: Requester = {},
): PlatformContext {
  return {
    server,
    now: server.clock.now(),
    caller,
    address,
    origin,
    device,
    db: server.store.platform.reads(requester),
    transaction: (work) => server.store.platform.transaction(work, 'disk', requester),
  };
}

/** Makes the context act on behalf of `requester`, which was unknown when the context was made. */
export function onBehalfOf<Context extends PlatformContext>(context: Context, requester: Requester): Context {
  const { store } = context.server;
  return {
    ...context,
    db: store.platform.reads(requester),
    transaction: (work) => store.platform.transaction(work, 'disk', requester),
  };
}

/** The actor of a route that requires one. */
export function actorOf(context: PlatformContext): Actor {
  if (!context.caller) throw new Error('This route declares no access, but asks who calls.');
  return context.caller.actor;
}

/** The CSRF token that a form of the session must carry; empty without a session. */
export function csrfTokenOf(context: PlatformContext): string {
  return context.caller?.session?.csrfToken ?? '';
}
