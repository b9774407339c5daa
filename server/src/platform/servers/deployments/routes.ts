import type { Position } from '../../../database/rows.ts';
import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { serverDeployments } from '../../../mcp/hosting/launch/deployments.ts';
import { pageQuery, readPage } from '../../page.ts';
import { hostedServerFor } from '../server/hosted-access.ts';
import { deployBuild, rollBack } from './operations.ts';
import { deploymentOf } from './queries.ts';
import { Deployment, DeploymentCreate, DeploymentList } from './schema.ts';

const { get, post } = organizationRoutes('Hosted servers', 'member');

export const serverDeploymentRoutes = [
  get('/servers/{server}/deployments', 'listServerDeployments', {
    summary: 'List deployments of a server',
    description: 'The live deployment and earlier ones, newest first.',
    conflicts: ['not_hosted'],
    query: pageQuery,
    answers: DeploymentList,
    handler: async ({ context, path, query }) => {
      const { id } = await hostedServerFor(context, path.server, 'editor');
      const read = (position: Position) => serverDeployments.page(context.db, { server_id: id }, position);
      return readPage(query, 'descending', read, deploymentOf);
    },
  }),
  post('/servers/{server}/deployments', 'createServerDeployment', {
    summary: 'Put a build live',
    description:
      'The address stays. New requests reach the new build; active ones finish. The server first starts the program and sends it `initialize`: if it does not answer, the live build stays (409 `does_not_start`). 409 `build_not_succeeded` or `already_live` if the build cannot go live.',
    conflicts: ['not_hosted', 'build_not_succeeded', 'already_live', 'does_not_start'],
    body: DeploymentCreate,
    answers: [201, Deployment],
    handler: async ({ context, path, body }) => {
      const row = await hostedServerFor(context, path.server, 'editor');
      return deploymentOf(await deployBuild(context, row, body.buildId));
    },
  }),
  post('/servers/{server}/deployments/{id}/rollback', 'rollBackServer', {
    summary: 'Roll back to a deployment',
    description: 'Puts the build of an earlier deployment live again, as a new deployment.',
    conflicts: ['not_hosted', 'build_not_succeeded', 'already_live', 'does_not_start'],
    answers: [201, Deployment],
    handler: async ({ context, path }) => {
      const row = await hostedServerFor(context, path.server, 'editor');
      return deploymentOf(await rollBack(context, row, path.id));
    },
  }),
];
