import type { OrganizationContext } from '../../context/platform-context.ts';
import type { PlatformRoute } from '../../http/routes/platform-route.ts';
import { organizationRoutes } from '../../http/routes/platform-routes.ts';
import { pageQuery, readPage } from '../page.ts';
import { type GrantedResource, removeGrant, setGrant } from './operations.ts';
import { grantOf, listGrants } from './queries.ts';
import { GrantList, GrantPut } from './schema.ts';

/** A kind of resource with grants, and the names of its routes. */
interface GrantedResources {
  readonly tag: string;
  /** Path of one resource below the organization. */
  readonly path: string;
  /** The parameter of the path that names it. */
  readonly parameter: string;
  /** For `listWorkspaceGrants`: `Workspace`. */
  readonly name: string;
  /** The resource, for its administrators; throws NotFound or Forbidden for others. */
  resourceFor(context: OrganizationContext, id: string): Promise<GrantedResource>;
}

/** The routes of the explicit roles in a kind of resource. */
export function grantRoutes({ tag, path, parameter, name, resourceFor }: GrantedResources): PlatformRoute[] {
  const { get, put, remove } = organizationRoutes(tag, 'member');
  const resource = name.toLowerCase();
  const ofResource: string = `${path}/grants`;
  const ofActor: string = `${ofResource}/{actorId}`;
  const granted = (context: OrganizationContext, path: Readonly<Record<string, string>>) =>
    resourceFor(context, path[parameter] ?? '');
  const actorIn = ({ actorId = '' }: Readonly<Record<string, string>>) => actorId;
  return [
    get(ofResource, `list${name}Grants`, {
      summary: `List the grants of a ${resource}`,
      description: 'The explicit roles of people and service accounts. Everyone else has the default role.',
      query: pageQuery,
      answers: GrantList,
      handler: async ({ context, path, query }) => {
        const { id } = await granted(context, path);
        const read = (position: { cursor: string; limit: number }) =>
          context.db.all(listGrants, { resource_id: id, ...position });
        return readPage(query, 'ascending', read, grantOf);
      },
    }),
    put(ofActor, `set${name}Grant`, {
      summary: `Grant a role in a ${resource}`,
      description:
        'Gives a member or a service account the role `viewer`, `editor` or `admin`, from the next request on. It replaces the default role, even if it is lower. 404 for an actor that is neither.',
      body: GrantPut,
      handler: async ({ context, path, body }) =>
        setGrant(context, await granted(context, path), actorIn(path), body.role),
    }),
    remove(ofActor, `remove${name}Grant`, {
      summary: `Remove a grant of a ${resource}`,
      description: 'The default role applies from the next request on. 404 when there is no such grant.',
      handler: async ({ context, path }) => removeGrant(context, await granted(context, path), actorIn(path)),
    }),
  ];
}
