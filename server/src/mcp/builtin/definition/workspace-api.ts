/**
 * The API of a workspace for the built-in server: the same routes, permissions and shapes as over HTTP. The layer of
 * routes implements it.
 */
import type { Actor, Role } from '../../../identity/access/access.ts';

/** Method and path of a declared route. */
export type RouteName = `${'GET' | 'POST' | 'PATCH'} /${string}`;

export interface ApiInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** A JSON value. */
  readonly body?: unknown;
}

/** The caller of a tool, with the role in the workspace that was read for this request. */
export interface ApiCaller {
  /** Key of the workspace. */
  readonly workspace: number;
  readonly actor: Actor;
  readonly role: Role;
  /** Aborts database reads when the caller has gone. */
  readonly signal: AbortSignal;
}

export interface WorkspaceApi {
  /** True if this role has the permission that the route requires. */
  allows(route: RouteName, role: Role): boolean;
  /**
   * Returns the answer as parsed JSON. A large value in a list is replaced by a note, and secrets are hidden as over
   * HTTP. Throws the ApiError of the route, and Forbidden without the permission.
   */
  call(route: RouteName, input: ApiInput, caller: ApiCaller): Promise<unknown>;
}
