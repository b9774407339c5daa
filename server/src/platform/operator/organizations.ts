/** The operator's commands for organizations and their workspaces, on the machine itself. */

import type { OrganizationChange } from '../../context/platform-context.ts';
import { platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables/tables.ts';
import { REMOVED_WORKSPACES, workspaces } from '../../database/workspaces.ts';
import { ConfigError } from '../../errors.ts';
import { normalEmail } from '../../identity/people/email-address.ts';
import { compileDecoder } from '../../schema/decode.ts';
import type { Static, TSchema } from '../../schema/kinds.ts';
import { setGrant } from '../grants/operations.ts';
import { GrantPut } from '../grants/schema.ts';
import { addOrganization, changeOrganization } from '../organizations/operations.ts';
import { organizationOf } from '../organizations/queries.ts';
import { type Organization, OrganizationCreate, OrganizationUpdate } from '../organizations/schema.ts';
import { roleIn } from '../people/me/access.ts';
import { listWorkspacesOfActor } from '../people/me/access-queries.ts';
import { users } from '../users/queries.ts';
import { createWorkspace } from '../workspaces/operations.ts';
import { workspaceOf } from '../workspaces/queries.ts';
import { type Workspace, WorkspaceCreate } from '../workspaces/schema.ts';
import { changeWithin, findOwner, type KeyOwnerName, type OperatorContext } from './operator.ts';

/** Most addresses that are printed with a new key. */
const MOST_SHOWN = 5;

const listEveryOrganization = platformStatement<Record<string, never>, Row<'organization'>>((query) =>
  query.selectFrom('organization').selectAll().where('id', '<>', REMOVED_WORKSPACES).orderBy('slug'),
);

const listEveryWorkspace = platformStatement<Record<string, never>, Row<'workspace'> & { readonly slug: string }>(
  (query) =>
    query
      .selectFrom('workspace')
      .innerJoin('organization', 'organization.id', 'workspace.organization_id')
      .selectAll('workspace')
      .select('organization.slug as slug')
      .where('organization.id', '<>', REMOVED_WORKSPACES)
      .orderBy('organization.slug')
      .orderBy('workspace.handle'),
);

/** Throws ConfigError for an invalid name, and when the user who should be its administrator does not exist. */
export async function createOrganization(
  context: OperatorContext,
  given: { readonly slug: string; readonly name: string; readonly admin: string | undefined },
): Promise<Organization> {
  const { slug, name } = checked(OrganizationCreate, { slug: given.slug, name: given.name });
  const { admin } = given;
  const user = admin === undefined ? undefined : await users.first(context.change.db, { email: normalEmail(admin) });
  if (admin !== undefined && !user) {
    throw new ConfigError(
      `There is no user ${admin}. Create the organization without --admin, then create its first user.`,
    );
  }
  return addOrganization(context.change, { slug, name }, user?.id);
}

/** Throws ConfigError for an invalid name or age. */
export async function updateOrganization(context: OperatorContext, slug: string, given: object): Promise<Organization> {
  return changeOrganization(await changeWithin(context, slug), checked(OrganizationUpdate, given));
}

export async function listOrganizations({ change }: OperatorContext): Promise<Organization[]> {
  return (await change.db.all(listEveryOrganization)).map(organizationOf);
}

interface NewWorkspace {
  readonly organization: string;
  readonly handle: string;
  readonly name: string;
  readonly defaultRole: string | undefined;
}

/**
 * Makes a workspace that is ready for clients. Throws ConfigError for an invalid handle or role, and NamedConflict when
 * the handle is taken.
 */
export async function createWorkspaceIn(context: OperatorContext, given: NewWorkspace): Promise<Workspace> {
  const { handle, name, defaultRole = null } = given;
  const workspace = checked(WorkspaceCreate, { handle, name, defaultRole });
  return createWorkspace(await changeWithin(context, given.organization), workspace);
}

/** All workspaces, or those of one organization. */
export async function listWorkspaces(
  context: OperatorContext,
  organization: string | undefined,
): Promise<(Workspace & { readonly organization: string })[]> {
  if (organization !== undefined) await changeWithin(context, organization);
  const rows = await context.change.db.all(listEveryWorkspace);
  return rows
    .filter(({ slug }) => organization === undefined || slug === organization)
    .map(({ slug, ...row }) => ({ ...workspaceOf(row), organization: slug }));
}

/** The first few workspaces in which a user or a service account has a role, by slugs. */
export async function listWorkspacesOfOwner(
  { change: { db } }: OperatorContext,
  owner: KeyOwnerName,
): Promise<{ readonly organization: string; readonly workspace: string }[]> {
  const { id } = await findOwner(db, owner);
  const rows = (await db.all(listWorkspacesOfActor, { actor_id: id })).filter((row) => roleIn(row) !== null);
  return rows
    .slice(0, MOST_SHOWN)
    .map(({ organization_slug, handle }) => ({ organization: organization_slug, workspace: handle }));
}

/** Gives a user or a service account a role in a workspace. */
export async function grantWorkspace(
  context: OperatorContext,
  place: WorkspaceName,
  actor: KeyOwnerName,
  role: string,
): Promise<void> {
  const change = await changeWithin(context, place.organization);
  const { role: given } = checked(GrantPut, { role });
  const { id } = await findOwner(change.db, actor);
  const found = await workspaceNamed(change, place);
  await setGrant(change, { type: 'workspace', id: found.id, name: place.handle }, id, given);
}

interface WorkspaceName {
  /** Slug of the organization. */
  readonly organization: string;
  readonly handle: string;
}

/** The key of a workspace in the store. Throws ConfigError when there is none. */
export async function findWorkspaceKey(context: OperatorContext, name: WorkspaceName): Promise<number> {
  return (await workspaceNamed(await changeWithin(context, name.organization), name)).key;
}

async function workspaceNamed({ db, organization }: OrganizationChange, name: WorkspaceName) {
  const found = await workspaces.first(db, { organization_id: organization.id, handle: name.handle });
  if (found) return found;
  throw new ConfigError(
    `"${name.organization}" has no workspace "${name.handle}". "signalbox workspaces list" lists them.`,
  );
}

/** Validates the input by the rules of the API. An error names the flag of the field. */
export function checked<T extends TSchema>(schema: T, given: object): Static<T> {
  const decoded = compileDecoder(schema, 'body')(given);
  if (decoded.ok) return decoded.value as Static<T>;
  const said = decoded.issues.map(({ loc, msg }) => `--${flagOf(String(loc.at(-1) ?? ''))}: ${msg}`);
  throw new ConfigError(`${said.join('; ')}.`);
}

function flagOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
