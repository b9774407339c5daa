import type { Context } from '../../context/context.ts';
import { found } from '../../errors.ts';
import { created, ok, type Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Json, Type } from '../../schema/kinds.ts';
import { filtersAndPart, type ListPart, listQuery, paginated, partOf } from '../filters/pagination.ts';
import type { RelatedFilters } from '../filters/related-conditions.ts';
import {
  bulkDeleteDeployments,
  createDeployment,
  deleteDeployment,
  MISSING,
  setPaused,
  updateDeployment,
} from './operations.ts';
import { countDeployments, findDeployment, findDeploymentByNames, listDeployments } from './queries.ts';
import { deploymentResponse, deploymentResponses } from './response.ts';
import {
  DeploymentBulkDeleteResponse,
  DeploymentCreate,
  DeploymentPaginationResponse,
  DeploymentResponse,
  DeploymentSort,
  DeploymentUpdate,
  deploymentBodies,
} from './schema.ts';

const { get, search, post, patch, remove } = routesOf('Deployments', 'deployments');

export const deploymentRoutes: readonly Route[] = [
  post('/deployments/', 'create_deployment_deployments__post', {
    summary: 'Create or replace a deployment',
    description:
      "Registers how a flow is run: schedules, parameters, work pool and job variables. A deployment of the same name and flow is updated and keeps its id (200); a new one is 201. 409 for job variables that the work pool's template refuses, 404 for a pool that does not exist.",
    provenance: true,
    body: DeploymentCreate,
    responses: { 200: DeploymentResponse },
    async handler({ context, body }) {
      const { deployment, isNew } = await createDeployment(context, body);
      const response = await deploymentResponse(context.db, deployment, context.now);
      return isNew ? created(response) : ok(response);
    },
  }),
  get('/deployments/', 'list_deployments_deployments__get', {
    summary: 'List deployments',
    description:
      'One page of deployments. `limit` is at most the largest page of this server, which is also its default; `offset` counts from 0.',
    query: listQuery(DeploymentSort, 'NAME_ASC'),
    answers: Type.Array(DeploymentResponse),
    handler: ({ context, query }) => readPage(context, {}, partOf(context, query)),
  }),
  patch('/deployments/{id}', 'update_deployment_deployments__id__patch', {
    summary: 'Update a deployment',
    description:
      'Changes the given fields, and recreates the future runs of the schedules. `schedules` replaces the schedules; if every stored schedule has a slug, those that it does not name stay. 404 when there is no such deployment.',
    body: DeploymentUpdate,
    handler: ({ context, path, body }) => updateDeployment(context, path.id, body),
  }),
  get('/deployments/{id}', 'read_deployment_deployments__id__get', {
    summary: 'Read a deployment',
    description: 'One deployment with its schedules and its status. 404 when there is none.',
    answers: DeploymentResponse,
    handler: async ({ context, path }) => {
      const deployment = found(await findDeployment(context.db, path.id), MISSING);
      return deploymentResponse(context.db, deployment, context.now);
    },
  }),
  remove('/deployments/{id}', 'delete_deployment_deployments__id__delete', {
    summary: 'Delete a deployment',
    description:
      'Deletes the deployment with its schedules and its runs that have not started. Other runs stay. 404 when there is none.',
    handler: ({ context, path }) => deleteDeployment(context, path.id),
  }),
  get(
    '/deployments/name/{flow_name}/{deployment_name}',
    'read_deployment_by_name_deployments_name__flow_name___deployment_name__get',
    {
      summary: 'Read a deployment by name',
      description: 'One deployment by the name of its flow and its own name. 404 when there is none.',
      answers: DeploymentResponse,
      handler: async ({ context, path }) => {
        const { flow_name, deployment_name: name } = path;
        const deployment = found(await context.db.first(findDeploymentByNames, { flow_name, name }), MISSING);
        return deploymentResponse(context.db, deployment, context.now);
      },
    },
  ),
  search('/deployments/count', 'count_deployments_deployments_count_post', {
    summary: 'Count deployments',
    description:
      'The number of deployments that match all the filters. Filters on other resources select the deployments related to a matching resource.',
    body: deploymentBodies.count,
    answers: Type.Integer(),
    handler: ({ context, body }) => countDeployments(context.db, body),
  }),
  search('/deployments/filter', 'read_deployments_deployments_filter_post', {
    summary: 'List deployments that match filters',
    description:
      'One page of the deployments that match all the filters, in the order of `sort`. `limit` is at most the largest page of this server; 422 above it.',
    body: deploymentBodies.filter,
    answers: Type.Array(DeploymentResponse),
    handler: ({ context, body }) => readPage(context, ...filtersAndPart(context, body)),
  }),
  search('/deployments/paginate', 'paginate_deployments_deployments_paginate_post', {
    summary: 'Page through deployments',
    description: 'Page `page` (from 1) of the matching deployments, with `limit` per page, and their total number.',
    body: deploymentBodies.paginate,
    answers: DeploymentPaginationResponse,
    handler: ({ context, body }) => paginated(context, body, readPage, countDeployments),
  }),
  post('/deployments/bulk_delete', 'bulk_delete_deployments_deployments_bulk_delete_post', {
    summary: 'Delete deployments that match a filter',
    description: 'Deletes up to `limit` matching deployments, as a single delete does, and returns their ids.',
    body: deploymentBodies.bulk_delete,
    answers: DeploymentBulkDeleteResponse,
    handler: async ({ context, body }) => {
      const filters = { deployments: body.deployments ?? null };
      return { deleted: await bulkDeleteDeployments(context, filters, body.limit) };
    },
  }),
  post('/deployments/{id}/pause_deployment', 'pause_deployment_deployments__id__pause_deployment_post', {
    summary: 'Pause a deployment',
    description:
      'Stops its schedules until it is resumed, and deletes their runs that have not started. 404 when there is none.',
    answers: Json(),
    handler: async ({ context, path }) => {
      await setPaused(context, path.id, true);
      return null;
    },
  }),
  post('/deployments/{id}/resume_deployment', 'resume_deployment_deployments__id__resume_deployment_post', {
    summary: 'Resume a deployment',
    description: 'Its active schedules create runs again. 404 when there is none.',
    answers: Json(),
    handler: async ({ context, path }) => {
      await setPaused(context, path.id, false);
      return null;
    },
  }),
];

async function readPage(context: Context, filters: RelatedFilters, page: ListPart<DeploymentSort>) {
  const deployments = await listDeployments(context.answerDb, filters, page);
  return deploymentResponses(context.db, deployments, context.now);
}
