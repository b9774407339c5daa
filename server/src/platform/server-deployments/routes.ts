import { platformRoute } from '../../http/platform-route.ts';
import { created, ok } from '../../http/route.ts';
import { pageQuery, readPage } from '../page.ts';
import { hostedServerFor } from '../servers/hosted-access.ts';
import { deployBuild, rollBack } from './operations.ts';
import { deploymentOf, listDeployments } from './queries.ts';
import { Deployment, DeploymentCreate, DeploymentList } from './schema.ts';

const all = '/organizations/{org}/servers/{server}/deployments';
const tags = ['Hosted servers'];
const access = 'organization:member';
const ofAll = { tags, access, parameters: { org: 'text', server: 'text' } } as const;
const ofOne = { tags, access, parameters: { org: 'text', server: 'text', id: 'uuid' } } as const;

export const serverDeploymentRoutes = [
  platformRoute({
    ...ofAll,
    method: 'GET',
    path: all,
    operationId: 'listServerDeployments',
    conflicts: ['not_hosted'],
    summary: 'What is and was live, the newest first.',
    query: pageQuery,
    responses: { 200: DeploymentList },
    handler: async ({ context, path, query }) => {
      const { id } = await hostedServerFor(context, path.server, 'editor');
      const read = (position: { cursor: string; limit: number }) =>
        context.db.all(listDeployments, { server_id: id, ...position });
      return ok(await readPage(query, 'descending', read, deploymentOf));
    },
  }),
  platformRoute({
    ...ofAll,
    method: 'POST',
    path: all,
    operationId: 'createServerDeployment',
    conflicts: ['not_hosted', 'build_not_succeeded', 'already_live'],
    summary: 'Puts a build that has succeeded live, at the same address.',
    body: DeploymentCreate,
    responses: { 201: Deployment },
    handler: async ({ context, path, body }) => {
      const row = await hostedServerFor(context, path.server, 'editor');
      return created(deploymentOf(await deployBuild(context, row, body.buildId)));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'POST',
    path: `${all}/{id}/rollback`,
    operationId: 'rollBackServer',
    conflicts: ['not_hosted', 'build_not_succeeded', 'already_live'],
    summary: 'Puts the build of an earlier deployment live again.',
    responses: { 201: Deployment },
    handler: async ({ context, path }) => {
      const row = await hostedServerFor(context, path.server, 'editor');
      return created(deploymentOf(await rollBack(context, row, path.id)));
    },
  }),
];
