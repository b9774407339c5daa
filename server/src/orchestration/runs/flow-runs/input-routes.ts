import { NotFound } from '../../../errors.ts';
import { created, noContent, ok, PlainBody, type Route, route } from '../../../http/route.ts';
import { Json, Type } from '../../../schema/kinds.ts';
import { createInput, deleteInput, findInput, listInputs } from './inputs.ts';
import { FlowRunInput, flowRunBodies } from './schema.ts';

const tags = ['Flow Runs'];

export const flowRunInputRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/flow_runs/{id}/input',
    operationId: 'create_flow_run_input_flow_runs__id__input_post',
    summary: 'Send an input to a flow run',
    description:
      'Keeps a value under a key that the run waits for. 409 when the key is taken, 404 when there is no such run.',
    tags,
    permission: 'flow_runs:write',
    parameters: { id: 'uuid' },
    body: flowRunBodies.input,
    bodySize: 'large',
    responses: { 201: Json() },
    async handler({ context, path, body }) {
      await createInput(context, path.id, body);
      return created(null);
    },
  }),
  route({
    method: 'POST',
    path: '/flow_runs/{id}/input/filter',
    operationId: 'filter_flow_run_input_flow_runs__id__input_filter_post',
    summary: 'List the inputs of a flow run',
    description:
      'The inputs whose key begins with `prefix`, without those of `exclude_keys`, at most `limit`, oldest first.',
    tags,
    permission: 'flow_runs:read',
    parameters: { id: 'uuid' },
    body: flowRunBodies.input_filter,
    responses: { 200: Type.Array(FlowRunInput) },
    async handler({ context, path, body }) {
      return ok(await listInputs(context.answerDb, path.id, body));
    },
  }),
  route({
    method: 'GET',
    path: '/flow_runs/{id}/input/{key}',
    operationId: 'read_flow_run_input_flow_runs__id__input__key__get',
    summary: 'Read an input of a flow run',
    description: 'The value of one input as it was sent. 404 when there is none.',
    tags,
    permission: 'flow_runs:read',
    parameters: { id: 'uuid', key: 'text' },
    responses: { 200: Json() },
    async handler({ context, path }) {
      const input = await findInput(context.db, path.id, path.key);
      if (!input) throw new NotFound('Flow run input not found');
      return ok(new PlainBody('text/plain; charset=utf-8', input.value));
    },
  }),
  route({
    method: 'DELETE',
    path: '/flow_runs/{id}/input/{key}',
    operationId: 'delete_flow_run_input_flow_runs__id__input__key__delete',
    summary: 'Delete an input of a flow run',
    description: 'Deletes one input. 404 when there is none.',
    tags,
    permission: 'flow_runs:write',
    parameters: { id: 'uuid', key: 'text' },
    responses: { 204: null },
    async handler({ context, path }) {
      await deleteInput(context, path.id, path.key);
      return noContent;
    },
  }),
];
