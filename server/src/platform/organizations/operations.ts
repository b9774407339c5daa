import {
  actorOf,
  type OrganizationChange,
  type OrganizationContext,
  type PlatformChange,
  type PlatformContext,
} from '../../context/platform-context.ts';
import { organizations, workspaces } from '../../database/workspaces.ts';
import { Forbidden, found, NamedConflict } from '../../errors.ts';
import { newTimeOrderedId } from '../../values/id.ts';
import { auditIn } from '../audit/record.ts';
import { checkOperator } from '../operators.ts';
import { listServerIdsOf } from '../servers/server/queries.ts';
import { removeWorkspacesOf } from '../workspaces/queries.ts';
import { memberships } from './members/queries.ts';
import { organizationOf } from './queries.ts';
import type { Organization, OrganizationCreate, OrganizationUpdate, OwnOrganization } from './schema.ts';

export const MISSING = 'Organization not found.';

const audit = auditIn('organization');

/** The creator is the first administrator. A service account acts in one organization, so it cannot create another. */
export async function createOrganization(
  context: PlatformContext,
  given: OrganizationCreate,
): Promise<OwnOrganization> {
  const actor = actorOf(context);
  if (actor.type !== 'user') throw new Forbidden('A service account cannot create an organization.');
  const { organizationCreation } = context.server.config;
  if (organizationCreation === 'nobody') {
    throw new Forbidden('The API of this server does not create organizations (SIGNALBOX_ORGANIZATION_CREATION).');
  }
  if (organizationCreation === 'operators') await checkOperator(context, 'Organizations are made');
  return addOrganization(context, given, actor.id);
}

/** Makes an organization, with a first administrator if one is named. 409 `slug_taken`. */
export function addOrganization(
  context: PlatformChange,
  given: OrganizationCreate,
  administratorId?: string,
): Promise<OwnOrganization> {
  const { now } = context;
  return context.transaction(async (tx) => {
    const { name, slug } = given;
    const stamps = { created: now, updated: now };
    const organization = { id: newTimeOrderedId(), ...stamps, name, slug, max_key_age_days: null };
    const row = await organizations.insertUnlessThere(tx, organization);
    if (!row) throw slugTaken(slug);
    if (administratorId !== undefined) {
      const member = { organization_id: row.id, user_id: administratorId, ...stamps, role: 'admin' };
      await memberships.insertUnlessThere(tx, member);
    }
    await audit(context, tx, 'create', { ...row, organization_id: row.id });
    return { ...organizationOf(row), role: 'admin' };
  });
}

/** 409 `slug_taken`. */
export function changeOrganization(context: OrganizationChange, given: OrganizationUpdate): Promise<Organization> {
  const { id } = context.organization;
  const { name, slug, maxKeyAgeDays: max_key_age_days } = given;
  return context.transaction(async (tx) => {
    if (slug !== undefined) {
      const holder = await organizations.first(tx, { slug });
      if (holder && holder.id !== id) throw slugTaken(slug);
    }
    const change = { name, slug, max_key_age_days, updated: context.now };
    const row = found(await organizations.change(tx, { id }, change), MISSING);
    await audit(context, tx, 'update', row, given);
    return organizationOf(row);
  });
}

/** The organization of the workspace behind `/api` cannot be deleted: 409 `default_organization`. */
export function deleteOrganization(context: OrganizationContext): Promise<void> {
  const { organization, server } = context;
  return context.transaction(async (tx) => {
    if (await workspaces.first(tx, { organization_id: organization.id, key: server.defaultWorkspace })) {
      throw new NamedConflict(
        'default_organization',
        'This organization owns the workspace behind /api and cannot be deleted.',
      );
    }
    await tx.run(removeWorkspacesOf, { organization_id: organization.id });
    const servers = await tx.all(listServerIdsOf, { organization_id: organization.id });
    await organizations.remove(tx, { id: organization.id });
    await audit(context, tx, 'delete', { ...organization, organization_id: null });
    tx.afterCommit(() => {
      for (const { id } of servers) server.hub.tell('servers', id, 'deleted');
      server.hub.tell('work', 'retention', undefined);
    });
  });
}

function slugTaken(slug: string): NamedConflict {
  return new NamedConflict('slug_taken', `The slug "${slug}" is taken.`);
}
