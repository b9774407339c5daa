/** Declares the routes of one resource of the platform API; its tag and access are given once. */
import type { OrganizationContext, PlatformContext } from '../../context/platform-context.ts';
import type { Static, TSchema } from '../../schema/kinds.ts';
import { type PlatformAccess, type PlatformInput, type PlatformRoute, platformRoute } from './platform-route.ts';
import type { Method } from './route.ts';
import { type Answering, type NamesIn, parametersIn, withAnswers } from './routes-of.ts';

type Own =
  | 'method'
  | 'path'
  | 'operationId'
  | 'tags'
  | 'access'
  | 'parameters'
  | 'query'
  | 'body'
  | 'responses'
  | 'handler';
type Spec<
  Access extends PlatformAccess,
  Context,
  Path extends string,
  Query extends TSchema,
  Body extends TSchema,
> = Omit<PlatformRoute, Own> & {
  /** Overrides the values of the resource. */
  readonly tags?: readonly string[];
  readonly access?: Access;
  /** Parameters whose type does not follow from their name. */
  readonly parameters?: { readonly [Name in NamesIn<Path>]?: 'uuid' | 'text' };
  readonly query?: Query;
  readonly body?: Body;
} & Answering<PlatformInput<Context, { [Name in NamesIn<Path>]: string }, Static<Query>, Static<Body>>>;

/** Parameters of a path that are named `id` or `…Id` are UUIDs, all others are text. */
export function platformRoutes(tag: string, access: 'public' | 'actor' | 'session') {
  return declarations<PlatformAccess, PlatformContext, ''>('', tag, access);
}

/** Like `platformRoutes`, for paths below `/organizations/{org}`. */
export function organizationRoutes(tag: string, role: 'member' | 'admin') {
  return declarations<'organization:member' | 'organization:admin', OrganizationContext, '/organizations/{org}'>(
    '/organizations/{org}',
    tag,
    `organization:${role}`,
  );
}

function declarations<Access extends PlatformAccess, Context, Above extends string>(
  above: Above,
  tag: string,
  access: Access,
) {
  const declare =
    (method: Method) =>
    <const Path extends string, Query extends TSchema = TSchema, Body extends TSchema = TSchema>(
      below: Path,
      operationId: string,
      spec: Spec<Access, Context, `${Above}${Path}`, Query, Body>,
    ): PlatformRoute => {
      const path = above + below;
      const declared = {
        tags: [tag],
        access,
        ...withAnswers(spec as never),
        method,
        path,
        operationId,
        parameters: { ...parametersIn(path, /^(id|\w+Id)$/), ...spec.parameters },
      };
      return platformRoute(declared as never);
    };
  return {
    get: declare('GET'),
    post: declare('POST'),
    put: declare('PUT'),
    patch: declare('PATCH'),
    remove: declare('DELETE'),
  };
}
