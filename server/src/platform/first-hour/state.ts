import type { OrganizationContext } from '../../context/platform-context.ts';
import { FIRST_ID, LAST_ID } from '../../values/id.ts';
import { callsOnly } from '../servers/requests/fields.ts';
import { listRequestsOfServers } from '../servers/requests/queries.ts';
import { listedRole } from '../servers/server/answers.ts';
import { listVisibleServers } from '../servers/server/queries.ts';
import { mayEdit } from '../servers/views/catalog.ts';
import { hasSamplePolicy } from './sample-policy.ts';
import type { FirstServers } from './schema.ts';

const MOST_SERVERS = 200;

/** Examines the first servers only: an organization with more is past its first hour. */
export async function readFirstServers(
  context: OrganizationContext,
  workspaceId: string | undefined,
): Promise<FirstServers> {
  const { organization, caller, db, server } = context;
  const scope = { organization_id: organization.id, organization_role: organization.role, actor_id: caller.actor.id };
  const position = { text: '', cursor: FIRST_ID, limit: MOST_SERVERS };
  const rows = (await db.all(listVisibleServers, { ...scope, ...position })).map((row) => ({
    row,
    role: listedRole(context, row),
  }));
  const usable = rows.filter(({ role }) => role !== null).map(({ row }) => row);
  const edited = rows.filter(({ role }) => mayEdit(role)).map(({ row }) => row);
  const builtin = usable.find(({ workspace_id }) => workspace_id !== null && workspace_id === workspaceId);
  const newest = usable.filter(({ kind }) => kind !== 'builtin').at(-1);
  const [calls, targets, samplePolicy] = await Promise.all([
    listRequestsOfServers(
      db,
      edited.map(({ id }) => id),
      { errors: false, where: callsOnly },
      { cursor: LAST_ID, limit: 1 },
    ),
    server.targets.current(),
    builtin ? hasSamplePolicy(context, builtin) : false,
  ]);
  const [call] = calls;
  return {
    hosting: server.config.hosting === 'off' ? server.config.hostingReason || 'off' : null,
    refusesPrivateTargets: !targets.allowPrivate,
    builtin: builtin ? { slug: builtin.slug, name: builtin.name } : null,
    server: newest
      ? {
          slug: newest.slug,
          name: newest.name,
          kind: newest.kind as NonNullable<FirstServers['server']>['kind'],
          manifestReadAt: newest.manifest_read_at,
          manifestError: newest.manifest_error,
        }
      : null,
    call: call
      ? {
          server: edited.find(({ id }) => id === call.server_id)?.slug ?? '',
          capability: call.capability,
          occurred: call.occurred,
        }
      : null,
    samplePolicy,
  };
}
