/** Workspaces, as the operator's commands find them. */

import { workspaces } from '../../database/workspaces.ts';
import { ConfigError } from '../../errors.ts';
import { roleIn } from '../people/me/access.ts';
import { listWorkspacesOfActor } from '../people/me/access-queries.ts';
import { changeWithin, findOwner, type KeyOwnerName, type OperatorContext } from './operator.ts';

/** Most addresses that are printed with a new key. */
const MOST_SHOWN = 5;

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

interface WorkspaceName {
  /** Slug of the organization. */
  readonly organization: string;
  readonly handle: string;
}

/** The key of a workspace in the store. Throws ConfigError when there is none. */
export async function findWorkspaceKey(context: OperatorContext, name: WorkspaceName): Promise<number> {
  const { db, organization } = await changeWithin(context, name.organization);
  const found = await workspaces.first(db, { organization_id: organization.id, handle: name.handle });
  if (found) return found.key;
  throw new ConfigError(
    `"${name.organization}" has no workspace "${name.handle}". "signalbox workspaces list" lists them.`,
  );
}
