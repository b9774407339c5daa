import { type PlatformRoute, platformRoute } from '../../http/platform-route.ts';
import { noContent, ok } from '../../http/route.ts';
import type { OrganizationContext } from '../../platform-context.ts';
import { pageQuery, readPage } from '../page.ts';
import { type GrantedResource, removeGrant, setGrant } from './operations.ts';
import { grantOf, listGrants } from './queries.ts';
import { GrantList, GrantPut } from './schema.ts';

/** What has grants, and how its routes are called. */
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
  const inResource = `in the ${name.toLowerCase()}`;
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
      summary: `The explicit roles ${inResource}.`,
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
      summary: `Gives a member or a service account an explicit role ${inResource}, in force at the next request.`,
      body: GrantPut,
      responses: { 204: null },
      handler: async ({ context, path, body }) => {
        const resource = await resourceFor(context, path[parameter] ?? '');
        await setGrant(context, resource, path['actorId'] ?? '', body.role);
        return noContent;
      },
    }),
    platformRoute({
      ...common,
      parameters: ofGrant,
      method: 'DELETE',
      path: `${path}/grants/{actorId}`,
      operationId: `remove${name}Grant`,
      summary: 'Ends an explicit role; the default role applies from then on.',
      responses: { 204: null },
      handler: async ({ context, path }) => {
        await removeGrant(context, await resourceFor(context, path[parameter] ?? ''), path['actorId'] ?? '');
        return noContent;
      },
    }),
  ];
}
