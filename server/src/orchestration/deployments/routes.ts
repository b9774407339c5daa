import { NotFound } from '../../errors.ts';
import { created, noContent, ok, type Route, route } from '../../http/route.ts';
import { Json, Type } from '../../schema/kinds.ts';
import { listQuery, pageLimit, pageOf } from '../filters/pagination.ts';
import {
  bulkDeleteDeployments,
  createDeployment,
  deleteDeployment,
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

const tags = ['Deployments'];

export const deploymentRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/deployments/',
    operationId: 'create_deployment_deployments__post',
    summary: 'Create or replace a deployment',
    description:
      "Registers how a flow is run: schedules, parameters, work pool and job variables. A deployment of the same name and flow is updated and keeps its id (200); a new one is 201. 409 for job variables that the work pool's template refuses, 404 for a pool that is not there.",
    tags,
    permission: 'deployments:write',
    provenance: true,
    body: DeploymentCreate,
    responses: { 200: DeploymentResponse },
    async handler({ context, body }) {
      const { deployment, isNew } = await createDeployment(context, body);
      const response = await deploymentResponse(context.db, deployment, context.now);
      return isNew ? created(response) : ok(response);
    },
  }),
  route({
    method: 'GET',
    path: '/deployments/',
    operationId: 'list_deployments_deployments__get',
    summary: 'List deployments',
    description:
      'One page of deployments. `limit` is at most the largest page of this server, which is also its default; `offset` counts from 0.',
    tags,
    permission: 'deployments:read',
    query: listQuery(DeploymentSort, 'NAME_ASC'),
    responses: { 200: Type.Array(DeploymentResponse) },
    async handler({ context, query }) {
      const { sort, offset, limit } = query;
      const deployments = await listDeployments(
        context.answerDb,
        {},
        { sort, offset, limit: pageLimit(context, limit) },
      );
      return ok(await deploymentResponses(context.db, deployments, context.now));
    },
  }),
  route({
    method: 'PATCH',
    path: '/deployments/{id}',
    operationId: 'update_deployment_deployments__id__patch',
    summary: 'Update a deployment',
    description:
      'Changes the fields that are given. Given `schedules` replace those that are there, and the runs of those that have not begun are deleted. 404 when there is no such deployment.',
    tags,
    permission: 'deployments:write',
    parameters: { id: 'uuid' },
    body: DeploymentUpdate,
    responses: { 204: null },
    async handler({ context, path, body }) {
      await updateDeployment(context, path.id, body);
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/deployments/{id}',
    operationId: 'read_deployment_deployments__id__get',
    summary: 'Read a deployment',
    description: 'One deployment with its schedules and its status. 404 when there is none.',
    tags,
    permission: 'deployments:read',
    parameters: { id: 'uuid' },
    responses: { 200: DeploymentResponse },
    async handler({ context, path }) {
      const deployment = (await findDeployment(context.db, path.id)) ?? missing();
      return ok(await deploymentResponse(context.db, deployment, context.now));
    },
  }),
  route({
    method: 'DELETE',
    path: '/deployments/{id}',
    operationId: 'delete_deployment_deployments__id__delete',
    summary: 'Delete a deployment',
    description:
      'Deletes the deployment with its schedules and their runs that have not begun. Other runs stay. 404 when there is none.',
    tags,
    permission: 'deployments:write',
    parameters: { id: 'uuid' },
    responses: { 204: null },
    async handler({ context, path }) {
      await deleteDeployment(context, path.id);
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/deployments/name/{flow_name}/{deployment_name}',
    operationId: 'read_deployment_by_name_deployments_name__flow_name___deployment_name__get',
    summary: 'Read a deployment by name',
    description: 'One deployment by the name of its flow and its own. 404 when there is none.',
    tags,
    permission: 'deployments:read',
    parameters: { flow_name: 'text', deployment_name: 'text' },
    responses: { 200: DeploymentResponse },
    async handler({ context, path }) {
      const found = await findDeploymentByNames(context.db, path.flow_name, path.deployment_name);
      return ok(await deploymentResponse(context.db, found ?? missing(), context.now));
    },
  }),
  route({
    method: 'POST',
    path: '/deployments/count',
    operationId: 'count_deployments_deployments_count_post',
    summary: 'Count deployments',
    description:
      'The number of deployments that match all the filters. Filters of other resources match deployments that are related to a matching one.',
    tags,
    permission: 'deployments:read',
    body: deploymentBodies.count,
    responses: { 200: Type.Integer() },
    async handler({ context, body }) {
      return ok(await countDeployments(context.db, body));
    },
  }),
  route({
    method: 'POST',
    path: '/deployments/filter',
    operationId: 'read_deployments_deployments_filter_post',
    summary: 'List deployments that match filters',
    description:
      'One page of the deployments that match all the filters, in the order of `sort`. `limit` is at most the largest page of this server; 422 above it.',
    tags,
    permission: 'deployments:read',
    body: deploymentBodies.filter,
    responses: { 200: Type.Array(DeploymentResponse) },
    async handler({ context, body }) {
      const { sort, offset, limit: asked, ...filters } = body;
      const deployments = await listDeployments(context.answerDb, filters, {
        sort,
        offset,
        limit: pageLimit(context, asked),
      });
      return ok(await deploymentResponses(context.db, deployments, context.now));
    },
  }),
  route({
    method: 'POST',
    path: '/deployments/paginate',
    operationId: 'paginate_deployments_deployments_paginate_post',
    summary: 'Page through deployments',
    description:
      'Page `page` (from 1) of the deployments that match, with `limit` on each, and how many there are in all.',
    tags,
    permission: 'deployments:read',
    body: deploymentBodies.paginate,
    responses: { 200: DeploymentPaginationResponse },
    async handler({ context, body }) {
      const { sort, page, limit: asked, ...filters } = body;
      const limit = pageLimit(context, asked);
      const [deployments, count] = await Promise.all([
        listDeployments(context.answerDb, filters, { sort, limit, offset: (page - 1) * limit }),
        countDeployments(context.db, filters),
      ]);
      return ok(pageOf(await deploymentResponses(context.db, deployments, context.now), count, limit, page));
    },
  }),
  route({
    method: 'POST',
    path: '/deployments/bulk_delete',
    operationId: 'bulk_delete_deployments_deployments_bulk_delete_post',
    summary: 'Delete deployments that match a filter',
    description: 'Deletes up to `limit` deployments that match, as a single delete does, and answers their ids.',
    tags,
    permission: 'deployments:write',
    body: deploymentBodies.bulk_delete,
    responses: { 200: DeploymentBulkDeleteResponse },
    async handler({ context, body }) {
      const filters = { deployments: body.deployments ?? null };
      return ok({ deleted: await bulkDeleteDeployments(context, filters, body.limit) });
    },
  }),
  route({
    method: 'POST',
    path: '/deployments/{id}/pause_deployment',
    operationId: 'pause_deployment_deployments__id__pause_deployment_post',
    summary: 'Pause a deployment',
    description:
      'Its schedules create no runs until it is resumed, and their runs that have not begun are deleted. 404 when there is none.',
    tags,
    permission: 'deployments:write',
    parameters: { id: 'uuid' },
    responses: { 200: Json() },
    async handler({ context, path }) {
      await setPaused(context, path.id, true);
      return ok(null);
    },
  }),
  route({
    method: 'POST',
    path: '/deployments/{id}/resume_deployment',
    operationId: 'resume_deployment_deployments__id__resume_deployment_post',
    summary: 'Resume a deployment',
    description: 'Its active schedules create runs again. 404 when there is none.',
    tags,
    permission: 'deployments:write',
    parameters: { id: 'uuid' },
    responses: { 200: Json() },
    async handler({ context, path }) {
      await setPaused(context, path.id, false);
      return ok(null);
    },
  }),
];

function missing(): never {
  throw new NotFound('Deployment not found');
}
