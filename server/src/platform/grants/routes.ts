import { type PlatformRoute, platformRoute } from '../../http/platform-route.ts';
import { noContent, ok } from '../../http/route.ts';
import type { OrganizationContext } from '../../platform-context.ts';
import { pageQuery, readPage } from '../page.ts';
import { type GrantedResource, removeGrant, setGrant } from './operations.ts';
import { grantOf, listGrants } from './queries.ts';
import { GrantList, GrantPut } from './schema.ts';

/** A kind of resource with grants, and the names of its routes. */
interface GrantedResources {
  readonly tags: readonly string[];
  /** Path of one resource, and the parameter that names it. */
  readonly path: string;
  readonly parameter: string;
  readonly parameterKind: 'uuid' | 'text';
  /** For `listWorkspaceGrants`: `Workspace`. */
  readonly name: string;
  /** The resource, for its administrators; throws NotFound or Forbidden for others. */
  resourceFor(context: OrganizationContext, id: string): Promise<GrantedResource>;
}

/** The routes of the explicit roles in a kind of resource. */
export function grantRoutes({
  tags,
  path,
  parameter,
  parameterKind,
  name,
  resourceFor,
}: GrantedResources): PlatformRoute[] {
  const resource = name.toLowerCase();
  const parameters: Record<string, 'uuid' | 'text'> = { org: 'text', [parameter]: parameterKind };
  const ofGrant: Record<string, 'uuid' | 'text'> = { ...parameters, actorId: 'uuid' };
  const common = { tags, access: 'organization:member' } as const;
  return [
    platformRoute({
      ...common,
      parameters,
      method: 'GET',
      path: `${path}/grants`,
      operationId: `list${name}Grants`,
      summary: `List the grants of a ${resource}`,
      description: 'The explicit roles of people and service accounts. Everyone else has the default role.',
      query: pageQuery,
      responses: { 200: GrantList },
      handler: async ({ context, path, query }) => {
        const { id } = await resourceFor(context, path[parameter] ?? '');
        const read = (position: { cursor: string; limit: number }) =>
          context.db.all(listGrants, { resource_id: id, ...position });
        return ok(await readPage(query, 'ascending', read, grantOf));
      },
    }),
    platformRoute({
      ...common,
      parameters: ofGrant,
      method: 'PUT',
      path: `${path}/grants/{actorId}`,
      operationId: `set${name}Grant`,
      summary: `Grant a role in a ${resource}`,
      description:
        'Gives a member or a service account the role `viewer`, `editor` or `admin`, in force at the next request. It wins over the default role, also when it is lower. 404 for who is neither.',
      body: GrantPut,
      responses: { 204: null },
      handler: async ({ context, path, body }) => {
        const granted = await resourceFor(context, path[parameter] ?? '');
        await setGrant(context, granted, path['actorId'] ?? '', body.role);
        return noContent;
      },
    }),
    platformRoute({
      ...common,
      parameters: ofGrant,
      method: 'DELETE',
      path: `${path}/grants/{actorId}`,
      operationId: `remove${name}Grant`,
      summary: `Remove a grant of a ${resource}`,
      description: 'The default role applies from the next request on. 404 when there is no such grant.',
      responses: { 204: null },
      handler: async ({ context, path }) => {
        await removeGrant(context, await resourceFor(context, path[parameter] ?? ''), path['actorId'] ?? '');
        return noContent;
      },
    }),
  ];
}
