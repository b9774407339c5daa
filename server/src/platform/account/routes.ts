/**
 * The account routes that the Prefect CLI calls at a hosted server, below `/api`. Features of Prefect Cloud alone
 * (address lists, webhooks, service levels) are answered with 404, which the CLI reports as not available.
 * Source: the `prefect cloud` commands of the Prefect client 3.9.1.
 */
import { platformRoute } from '../../http/platform-route.ts';
import { ok } from '../../http/route.ts';
import { actorOf } from '../../platform-context.ts';
import { Shape, Type, Uuid } from '../../schema/kinds.ts';
import { listOwnWorkspaces } from './queries.ts';

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
