/**
 * The API of a workspace, as the built-in server uses it: the same routes, permissions and shapes as over HTTP. The layer
 * of routes implements it.
 */
import type { Actor, Role } from '../../../identity/access/access.ts';

/** Method and path, as the route declares them. */
export type RouteName = `${'GET' | 'POST' | 'PATCH'} /${string}`;

export interface ApiInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** A value of JSON. */
  readonly body?: unknown;
}

/** The caller of a tool, with the role in the workspace as it is for this request. */
export interface ApiCaller {
  /** Key of the workspace. */
  readonly workspace: number;
  readonly actor: Actor;
  readonly role: Role;
  /** Ends reads of the database when the caller has gone away. */
  readonly signal: AbortSignal;
}

export interface WorkspaceApi {
  /** Whether this role has the permission that the route requires. */
  allows(route: RouteName, role: Role): boolean;
  /**
   * The answer as parsed JSON. A large value of a list is replaced by a text that says so, and secrets are withheld as
   * over HTTP. Throws the ApiError that the route throws, and Forbidden without the permission.
   */
  call(route: RouteName, input: ApiInput, caller: ApiCaller): Promise<unknown>;
}
