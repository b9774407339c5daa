/** The declaration of the routes of a resource of the platform API (`/api/v0`). */

import type { OrganizationContext, PlatformContext } from '../../context/platform-context.ts';
import type { ConflictCode } from '../../error-codes.ts';
import type { Static, TSchema } from '../../schema/kinds.ts';
import type { Answer, Method } from './route.ts';

/**
 * The callers who may use a route; the pipeline decides before the handler runs. `public`: anyone. `actor`: any valid
 * key or session. `session`: a person who signed in with a browser; no key. `organization:member`,
 * `organization:admin`: an actor with that role in the organization that the path names as `org`.
 */
export type PlatformAccess = 'public' | 'actor' | 'session' | 'organization:member' | 'organization:admin';

type ContextFor<Access extends PlatformAccess> = Access extends `organization:${string}`
  ? OrganizationContext
  : PlatformContext;

type PathParameters = Readonly<Record<string, 'uuid' | 'text'>>;

export interface PlatformInput<Context, Path, Query, Body> {
  readonly context: Context;
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body of a `binary` route as received; empty for other routes. */
  readonly bytes: Buffer;
}

interface PlatformRouteSpec<
  Access extends PlatformAccess,
  Path extends PathParameters,
  Query extends TSchema,
  Body extends TSchema,
> {
  readonly method: Method;
  /** The path below `/api/v0`; the organization is the segment `{org}`, an id or a slug. */
  readonly path: string;
  readonly operationId: string;
  readonly tags: readonly string[];
  /** Summary of at most 80 characters: `List workspaces`. */
  readonly summary: string;
  /** One to four sentences: the meaning of fields, their units, and the conditions of errors. */
  readonly description: string;
  readonly access: Access;
  /** True for a request without a session that a browser may send only from this site: signing in, setting up. */
  readonly sameSite?: boolean;
  readonly parameters?: Path;
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyOptional?: boolean;
  /** True when the body is a form (RFC 6749 style) and errors have the shape of OAuth. */
  readonly form?: boolean;
  /** True when the body is bytes for the handler instead of JSON. */
  readonly binary?: boolean;
  /** Codes of the errors with status 409. */
  readonly conflicts?: readonly ConflictCode[];
  /** Shape of the answer by status; null is an answer without content. */
  readonly responses: Readonly<Record<number, TSchema | null>>;
  handler(
    input: PlatformInput<ContextFor<Access>, { [Name in keyof Path]: string }, Static<Query>, Static<Body>>,
  ): Promise<Answer> | Answer;
}

/** A declared route without its types. */
export interface PlatformRoute
  extends Omit<PlatformRouteSpec<PlatformAccess, PathParameters, TSchema, TSchema>, 'handler'> {
  handler(input: PlatformInput<PlatformContext, Record<string, string>, unknown, unknown>): Promise<Answer> | Answer;
}

export function platformRoute<
  const Access extends PlatformAccess,
  const Path extends PathParameters = Record<never, 'uuid'>,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
>(spec: PlatformRouteSpec<Access, Path, Query, Body>): PlatformRoute {
  return spec as unknown as PlatformRoute;
}
