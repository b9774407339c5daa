import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Json, Type } from '../../schema/kinds.ts';
import { listQuery, partOf } from '../filters/pagination.ts';
import {
  createAutomation,
  deleteAutomation,
  deleteOwnedAutomations,
  enableAutomation,
  missingAutomation,
  updateAutomation,
} from './operations.ts';
import { automations, listRelatedAutomations } from './queries.ts';
import {
  Automation,
  AutomationCreate,
  AutomationPartialUpdate,
  AutomationSort,
  AutomationUpdate,
  automationBodies,
} from './schema.ts';

const { get, search, post, put, patch, remove } = routesOf('Automations', 'automations');

export const automationRoutes: readonly Route[] = [
  post('/automations/', 'create_automation_automations__post', {
    summary: 'Create an automation',
    description:
      'An automation waits for events, or for their absence, and then runs its actions. 422 for a trigger, template or action that is not valid.',
    body: AutomationCreate,
    answers: [201, Automation],
    handler: ({ context, body }) => createAutomation(context, body),
  }),
  get('/automations/', 'list_automations_automations__get', {
    summary: 'List automations',
    description: 'One page of automations. `limit` is at most the largest page of this server.',
    query: listQuery(AutomationSort, 'NAME_ASC'),
    answers: Type.Array(Automation),
    handler: ({ context, query }) => automations.list(context.answerDb, null, partOf(context, query)),
  }),
  put('/automations/{id}', 'update_automation_automations__id__put', {
    summary: 'Replace an automation',
    description:
      'Replaces all fields, and resets the counters of the trigger. 404 when there is none, 422 for one that is not valid.',
    body: AutomationUpdate,
    handler: ({ context, path, body }) => updateAutomation(context, path.id, body),
  }),
  patch('/automations/{id}', 'patch_automation_automations__id__patch', {
    summary: 'Enable or disable an automation',
    description:
      'A disabled automation counts no events and runs no actions. 404 when there is none, 422 for one that would start runs endlessly when it is enabled.',
    body: AutomationPartialUpdate,
    handler: ({ context, path, body }) => enableAutomation(context, path.id, body.enabled),
  }),
  remove('/automations/{id}', 'delete_automation_automations__id__delete', {
    summary: 'Delete an automation',
    description: 'Deletes the automation and the counters of its trigger. 404 when there is none.',
    handler: ({ context, path }) => deleteAutomation(context, path.id),
  }),
  search('/automations/filter', 'read_automations_automations_filter_post', {
    summary: 'List automations that match a filter',
    description:
      'One page of the automations that match, in the order of `sort`. `limit` is at most the largest page of this server.',
    body: automationBodies.filter,
    answers: Type.Array(Automation),
    handler: ({ context, body }) => automations.list(context.answerDb, body.automations, partOf(context, body)),
  }),
  search('/automations/count', 'count_automations_automations_count_post', {
    summary: 'Count automations',
    description: 'The number of automations that match the filter.',
    body: automationBodies.count,
    answers: Type.Integer(),
    handler: ({ context, body }) => automations.count(context.db, body.automations),
  }),
  get('/automations/{id}', 'read_automation_automations__id__get', {
    summary: 'Read an automation',
    description: 'One automation with its trigger and actions. 404 when there is none.',
    answers: Automation,
    handler: async ({ context, path }) => (await automations.first(context.db, path)) ?? missingAutomation(),
  }),
  get(
    '/automations/related-to/{resource_id}',
    'read_automations_related_to_resource_automations_related_to__resource_id__get',
    {
      summary: 'List the automations of a resource',
      description:
        'The automations that a resource owns or that act on it. `resource_id` has the form of resource ids in events, such as `prefect.deployment.<id>`.',
      parameters: { resource_id: 'text' },
      answers: Type.Array(Automation),
      handler: ({ context, path }) => context.db.all(listRelatedAutomations, path),
    },
  ),
  remove(
    '/automations/owned-by/{resource_id}',
    'delete_automations_owned_by_resource_automations_owned_by__resource_id__delete',
    {
      summary: 'Delete the automations of a resource',
      description:
        'Deletes the automations that a resource owns, such as the triggers of a deployment. Other automations stay.',
      parameters: { resource_id: 'text' },
      responses: { 202: Json() },
      async handler({ context, path }) {
        await deleteOwnedAutomations(context, path.resource_id);
        return { status: 202, body: null };
      },
    },
  ),
];
