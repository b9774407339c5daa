/** The workspace that an address of the API means: the one behind `/api`, or the one that a hosted address names. */
import type { JoinBuilder } from 'kysely';
import type { Tables } from '../../database/tables/tables.ts';
import { FIRST_ID, idNamedBy, isUuid } from '../../values/id.ts';

/**
 * The workspace's key, or the two path segments of a hosted address: each is an id or a slug, and no slug looks like an
 * id.
 */
export type WorkspaceAddress =
  | { readonly key: number }
  | { readonly organizationId: string; readonly workspaceId: string };

/**
 * The columns by which a statement finds the workspace. Most callers give two ids, and then it does not look up the
 * organization.
 */
export type Way = 'key' | 'ids' | 'slugs';

/** Parameters of the statements. A parameter that a way does not use matches no row. */
export interface WorkspaceNames {
  readonly key: number;
  readonly id: string;
  readonly handle: string;
  readonly organization_id: string;
  readonly organization_slug: string;
}

/** A text that is neither an id nor a slug maps to nothing. */
export function wayTo(address: WorkspaceAddress): { readonly way: Way; readonly names: WorkspaceNames } {
  if ('key' in address) {
    const nothing = { id: FIRST_ID, handle: '', organization_id: FIRST_ID, organization_slug: '' };
    return { way: 'key', names: { key: address.key, ...nothing } };
  }
  const { organizationId: organization, workspaceId: workspace } = address;
  const names = {
    key: 0,
    id: idNamedBy(workspace),
    handle: workspace,
    organization_id: idNamedBy(organization),
    organization_slug: organization,
  };
  return { way: isUuid(workspace) && isUuid(organization) ? 'ids' : 'slugs', names };
}

/** Joins `workspace` to the tables before it. */
export const workspaceBy =
  (way: Way, given: WorkspaceNames) => (join: JoinBuilder<Tables, 'workspace' | 'organization'>) => {
    if (way === 'key') return join.on('workspace.key', '=', given.key);
    if (way === 'ids') {
      return join.on('workspace.id', '=', given.id).on('workspace.organization_id', '=', given.organization_id);
    }
    return join.on((eb) =>
      eb.and([
        eb.or([eb('workspace.id', '=', given.id), eb('workspace.handle', '=', given.handle)]),
        eb(
          'workspace.organization_id',
          '=',
          eb
            .selectFrom('organization')
            .select('organization.id')
            .where((or) =>
              or.or([
                or('organization.id', '=', given.organization_id),
                or('organization.slug', '=', given.organization_slug),
              ]),
            ),
        ),
      ]),
    );
  };
