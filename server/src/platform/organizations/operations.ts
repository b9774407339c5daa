import { Forbidden, NamedConflict, notFound } from '../../errors.ts';
import { newTimeOrderedId } from '../../id.ts';
import {
  actorOf,
  type OrganizationChange,
  type OrganizationContext,
  type PlatformChange,
  type PlatformContext,
} from '../../platform-context.ts';
import { recordAudit } from '../audit/record.ts';
import { insertMembership } from '../members/queries.ts';
import { checkOperator } from '../operators.ts';
import { listServerIdsOf } from '../servers/queries.ts';
import { removeWorkspacesOf } from '../workspaces/queries.ts';
import {
  findOrganizationBySlug,
  insertOrganization,
  organizationOf,
  ownsWorkspace,
  removeOrganization,
  setMaxKeyAge,
  updateOrganization,
} from './queries.ts';
import type { Organization, OrganizationCreate, OrganizationUpdate, OwnOrganization } from './schema.ts';

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

/** An organization, with a first administrator where one is named. 409 `slug_taken`. */
export function addOrganization(
  context: PlatformChange,
  given: OrganizationCreate,
  administratorId?: string,
): Promise<OwnOrganization> {
  const { now } = context;
  return context.transaction(async (tx) => {
    const { name, slug } = given;
    const row = { id: newTimeOrderedId(), created: now, updated: now, name, slug, max_key_age_days: null };
    if (!(await tx.first(insertOrganization, row))) throw slugTaken(given.slug);
    if (administratorId !== undefined) {
      const member = { organization_id: row.id, user_id: administratorId, created: now, updated: now, role: 'admin' };
      await tx.run(insertMembership, member);
    }
    await recordAudit(context, tx, {
      organizationId: row.id,
      action: 'organization.create',
      target: { type: 'organization', id: row.id, name: row.name },
    });
    return { ...organizationOf(row), role: 'admin' };
  });
}

/** 409 `slug_taken`. */
export function changeOrganization(context: OrganizationChange, given: OrganizationUpdate): Promise<Organization> {
  const { organization, now } = context;
  return context.transaction(async (tx) => {
    if (given.slug !== undefined) {
      const holder = await tx.first(findOrganizationBySlug, { slug: given.slug });
      if (holder && holder.id !== organization.id) throw slugTaken(given.slug);
    }
    if (given.maxKeyAgeDays !== undefined) {
      await tx.run(setMaxKeyAge, { id: organization.id, days: given.maxKeyAgeDays });
    }
    const changes = { id: organization.id, now, name: given.name ?? null, slug: given.slug ?? null };
    const row = (await tx.first(updateOrganization, changes)) ?? notFound('Organization not found.');
    await recordAudit(context, tx, {
      organizationId: row.id,
      action: 'organization.update',
      target: { type: 'organization', id: row.id, name: row.name },
      details: given,
    });
    return organizationOf(row);
  });
}

/** The organization of the workspace behind `/api` cannot be deleted: 409 `default_organization`. */
export function deleteOrganization(context: OrganizationContext): Promise<void> {
  const { organization, server } = context;
  return context.transaction(async (tx) => {
    if (await tx.first(ownsWorkspace, { id: organization.id, key: server.defaultWorkspace })) {
      throw new NamedConflict(
        'default_organization',
        'This organization owns the workspace behind /api and cannot be deleted.',
      );
    }
    await tx.run(removeWorkspacesOf, { organization_id: organization.id });
    const servers = await tx.all(listServerIdsOf, { organization_id: organization.id });
    await tx.run(removeOrganization, { id: organization.id });
    await recordAudit(context, tx, {
      organizationId: null,
      action: 'organization.delete',
      target: { type: 'organization', id: organization.id, name: organization.name },
    });
    tx.afterCommit(() => {
      for (const { id } of servers) server.serverChanges.publish(id, 'deleted');
      server.wakeUps.wakeServer('retention');
    });
  });
}

function slugTaken(slug: string): NamedConflict {
  return new NamedConflict('slug_taken', `The slug "${slug}" is taken.`);
}
