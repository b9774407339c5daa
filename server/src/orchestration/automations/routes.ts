import { ObjectNotFound } from '../../errors.ts';
import { created, noContent, ok, type Route, route } from '../../http/route.ts';
import { Json, Type } from '../../schema/kinds.ts';
import { listQuery, pageLimit } from '../filters/pagination.ts';
import {
  createAutomation,
  deleteAutomation,
  deleteOwnedAutomations,
  enableAutomation,
  updateAutomation,
} from './operations.ts';
import { countAutomations, findAutomation, listAutomations, listRelatedAutomations } from './queries.ts';
import {
  Automation,
  AutomationCreate,
  AutomationPartialUpdate,
  AutomationSort,
  AutomationUpdate,
  automationBodies,
} from './schema.ts';

const tags = ['Automations'];

export const automationRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/automations/',
    operationId: 'create_automation_automations__post',
    summary: 'Create an automation',
    description:
      'An automation waits for events, or for their absence, and then runs its actions. 422 for a trigger, template or action that is not valid.',
    tags,
    permission: 'automations:write',
    body: AutomationCreate,
    responses: { 201: Automation },
    async handler({ context, body }) {
      return created(await createAutomation(context, body));
    },
  }),
  route({
    method: 'GET',
    path: '/automations/',
    operationId: 'list_automations_automations__get',
    summary: 'List automations',
    description: 'One page of automations. `limit` is at most the largest page of this server.',
    tags,
    permission: 'automations:read',
    query: listQuery(AutomationSort, 'NAME_ASC'),
    responses: { 200: Type.Array(Automation) },
    async handler({ context, query }) {
      const { sort, offset, limit } = query;
      return ok(await listAutomations(context.answerDb, null, { sort, offset, limit: pageLimit(context, limit) }));
    },
  }),
  route({
    method: 'PUT',
    path: '/automations/{id}',
    operationId: 'update_automation_automations__id__put',
    summary: 'Replace an automation',
    description:
      'Replaces trigger, actions and all else; what the trigger has counted starts anew. 404 when there is none, 422 for one that is not valid.',
    tags,
    permission: 'automations:write',
    parameters: { id: 'uuid' },
    body: AutomationUpdate,
    responses: { 204: null },
    async handler({ context, path, body }) {
      await updateAutomation(context, path.id, body);
      return noContent;
    },
  }),
  route({
    method: 'PATCH',
    path: '/automations/{id}',
    operationId: 'patch_automation_automations__id__patch',
    summary: 'Enable or disable an automation',
    description:
      'A disabled automation counts no events and runs nothing. 404 when there is none, 422 for one that would start runs for ever when it is enabled.',
    tags,
    permission: 'automations:write',
    parameters: { id: 'uuid' },
    body: AutomationPartialUpdate,
    responses: { 204: null },
    async handler({ context, path, body }) {
      await enableAutomation(context, path.id, body.enabled);
      return noContent;
    },
  }),
  route({
    method: 'DELETE',
    path: '/automations/{id}',
    operationId: 'delete_automation_automations__id__delete',
    summary: 'Delete an automation',
    description: 'Deletes the automation with what its trigger has counted. 404 when there is none.',
    tags,
    permission: 'automations:write',
    parameters: { id: 'uuid' },
    responses: { 204: null },
    async handler({ context, path }) {
      await deleteAutomation(context, path.id);
      return noContent;
    },
  }),
  route({
    method: 'POST',
    path: '/automations/filter',
    operationId: 'read_automations_automations_filter_post',
    summary: 'List automations that match a filter',
    description:
      'One page of the automations that match, in the order of `sort`. `limit` is at most the largest page of this server.',
    tags,
    permission: 'automations:read',
    body: automationBodies.filter,
    responses: { 200: Type.Array(Automation) },
    async handler({ context, body }) {
      const { sort, offset, limit, automations } = body;
      return ok(
        await listAutomations(context.answerDb, automations, { sort, offset, limit: pageLimit(context, limit) }),
      );
    },
  }),
  route({
    method: 'POST',
    path: '/automations/count',
    operationId: 'count_automations_automations_count_post',
    summary: 'Count automations',
    description: 'The number of automations of the workspace.',
    tags,
    permission: 'automations:read',
    body: automationBodies.count,
    responses: { 200: Type.Integer() },
    async handler({ context, body }) {
      return ok(await countAutomations(context.db, body.automations));
    },
  }),
  route({
    method: 'GET',
    path: '/automations/{id}',
    operationId: 'read_automation_automations__id__get',
    summary: 'Read an automation',
    description: 'One automation with its trigger and actions. 404 when there is none.',
    tags,
    permission: 'automations:read',
    parameters: { id: 'uuid' },
    responses: { 200: Automation },
    async handler({ context, path }) {
      const automation = await findAutomation(context.db, path.id);
      if (!automation) throw new ObjectNotFound('Automation not found');
      return ok(automation);
    },
  }),
  route({
    method: 'GET',
    path: '/automations/related-to/{resource_id}',
    operationId: 'read_automations_related_to_resource_automations_related_to__resource_id__get',
    summary: 'List the automations of a resource',
    description:
      'The automations that a resource owns or that act on it; the id is that of events, such as `prefect.deployment.<id>`.',
    tags,
    permission: 'automations:read',
    parameters: { resource_id: 'text' },
    responses: { 200: Type.Array(Automation) },
    async handler({ context, path }) {
      return ok(await listRelatedAutomations(context.db, path.resource_id));
    },
  }),
  route({
    method: 'DELETE',
    path: '/automations/owned-by/{resource_id}',
    operationId: 'delete_automations_owned_by_resource_automations_owned_by__resource_id__delete',
    summary: 'Delete the automations of a resource',
    description: 'Deletes the automations that a resource owns, such as the triggers of a deployment; others stay.',
    tags,
    permission: 'automations:write',
    parameters: { resource_id: 'text' },
    responses: { 202: Json() },
    async handler({ context, path }) {
      await deleteOwnedAutomations(context, path.resource_id);
      return { status: 202, body: null };
    },
  }),
];
