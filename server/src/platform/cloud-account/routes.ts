/**
 * The account routes that the Prefect CLI calls at a hosted server, below `/api`. Features that only Prefect Cloud has
 * (address lists, webhooks, service levels) get a 404, which the CLI reports as not available. Source: the `prefect
 * cloud` commands of the Prefect client 3.9.1.
 */

import { actorOf } from '../../context/platform-context.ts';
import { platformRoutes } from '../../http/routes/platform-routes.ts';
import { Shape, Type, Uuid } from '../../schema/kinds.ts';
import { listOwnWorkspaces } from './queries.ts';

/** Has the names that the CLI reads. */
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

const { get } = platformRoutes('Account', 'actor');

export const accountRoutes = [
  get('/me/workspaces', 'listHostedWorkspaces', {
    summary: 'List the workspaces of the caller',
    description: 'Every workspace in which the caller has a role, in the format of the Prefect command line.',
    answers: Type.Array(HostedWorkspace),
    handler: ({ context }) => context.db.all(listOwnWorkspaces, { actor_id: actorOf(context).id }),
  }),
  get('/accounts/{org}/settings', 'readAccountSettings', {
    summary: 'Read the settings of an account',
    description: 'An empty object: this server has no settings that the Prefect command line knows.',
    access: 'organization:member',
    answers: Type.Object({}),
    handler: () => ({}),
  }),
];
