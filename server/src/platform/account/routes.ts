/**
 * The account routes that the Prefect CLI calls at a hosted server, below `/api`. What only the vendor's own service has
 * (address lists, webhooks, service levels) is answered with 404, which the CLI reports as not available.
 * Source: reference client, `prefect cloud …`.
 */
import { platformStatement } from '../../database/statement.ts';
import { platformRoute } from '../../http/platform-route.ts';
import { ok } from '../../http/route.ts';
import { actorOf } from '../../platform-context.ts';
import { Shape, Type, Uuid } from '../../schema/kinds.ts';

/** With the names that the CLI reads. */
const HostedWorkspace = Shape(
  'HostedWorkspace',
  {
    account_id: Uuid(),
    account_name: Type.String(),
    account_handle: Type.String(),
    workspace_id: Uuid(),
    workspace_name: Type.String(),
    workspace_description: Type.String(),
    workspace_handle: Type.String(),
  },
  'ignore',
);

const listOwnWorkspaces = platformStatement<{ actor_id: string }, Record<string, string>>(
  (query, given) =>
    query
      .selectFrom('workspace')
      .innerJoin('organization', 'organization.id', 'workspace.organization_id')
      .leftJoin('membership', (join) =>
        join.onRef('membership.organization_id', '=', 'organization.id').on('membership.user_id', '=', given.actor_id),
      )
      .leftJoin('service_account', (join) =>
        join
          .onRef('service_account.organization_id', '=', 'organization.id')
          .on('service_account.id', '=', given.actor_id),
      )
      .leftJoin('resource_grant', (join) =>
        join
          .onRef('resource_grant.resource_id', '=', 'workspace.id')
          .on('resource_grant.actor_id', '=', given.actor_id),
      )
      .where((eb) =>
        eb.or([
          eb('membership.role', '=', 'admin'),
          eb('service_account.role', '=', 'admin'),
          eb.and([
            eb.or([eb('membership.role', 'is not', null), eb('service_account.role', 'is not', null)]),
            eb.or([eb('resource_grant.role', 'is not', null), eb('workspace.default_role', 'is not', null)]),
          ]),
        ]),
      )
      .select([
        'organization.id as account_id',
        'organization.name as account_name',
        'organization.slug as account_handle',
        'workspace.id as workspace_id',
        'workspace.name as workspace_name',
        'workspace.description as workspace_description',
        'workspace.handle as workspace_handle',
      ])
      .orderBy('organization.id')
      .orderBy('workspace.id') as never,
);

export const accountRoutes = [
  platformRoute({
    method: 'GET',
    path: '/me/workspaces',
    operationId: 'listHostedWorkspaces',
    summary: 'List the workspaces of the caller',
    description: 'Every workspace that the caller has a role in, as the command line of Prefect asks for them.',
    tags: ['Account'],
    access: 'actor',
    responses: { 200: Type.Array(HostedWorkspace) },
    handler: async ({ context }) => ok(await context.db.all(listOwnWorkspaces, { actor_id: actorOf(context).id })),
  }),
  platformRoute({
    method: 'GET',
    path: '/accounts/{org}/settings',
    operationId: 'readAccountSettings',
    summary: 'Read the settings of an account',
    description: 'An empty object: there are none that the command line of Prefect knows.',
    tags: ['Account'],
    access: 'organization:member',
    parameters: { org: 'text' },
    responses: { 200: Type.Object({}) },
    handler: () => ok({}),
  }),
];
