import { found, notFound } from '../../../errors.ts';
import { PlainBody, type Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Json, Type } from '../../../schema/kinds.ts';
import { createInput, flowRunInputs, listInputs, MISSING_INPUT } from './inputs.ts';
import { FlowRunInput, flowRunBodies } from './schema.ts';

const { get, search, post, remove } = routesOf('Flow Runs', 'flow_runs');

export const flowRunInputRoutes: readonly Route[] = [
  post('/flow_runs/{id}/input', 'create_flow_run_input_flow_runs__id__input_post', {
    summary: 'Send an input to a flow run',
    description:
      'Stores a value under a key that the run waits for. 409 when the key is taken, 404 when there is no such run.',
    body: flowRunBodies.input,
    bodySize: 'large',
    answers: [201, Json()],
    handler: async ({ context, path, body }) => {
      await createInput(context, path.id, body);
      return null;
    },
  }),
  search('/flow_runs/{id}/input/filter', 'filter_flow_run_input_flow_runs__id__input_filter_post', {
    summary: 'List the inputs of a flow run',
    description:
      'The inputs whose key begins with `prefix`, except those in `exclude_keys`, at most `limit`, oldest first.',
    body: flowRunBodies.input_filter,
    answers: Type.Array(FlowRunInput),
    handler: ({ context, path, body }) => listInputs(context.answerDb, path.id, body),
  }),
  get('/flow_runs/{id}/input/{key}', 'read_flow_run_input_flow_runs__id__input__key__get', {
    summary: 'Read an input of a flow run',
    description: 'The value of one input as it was sent. 404 when there is none.',
    answers: Json(),
    handler: async ({ context, path }) => {
      const { value } = found(
        await flowRunInputs.first(context.db, { flow_run_id: path.id, key: path.key }),
        MISSING_INPUT,
      );
      return new PlainBody('text/plain; charset=utf-8', value);
    },
  }),
  remove('/flow_runs/{id}/input/{key}', 'delete_flow_run_input_flow_runs__id__input__key__delete', {
    summary: 'Delete an input of a flow run',
    description: 'Deletes one input. 404 when there is none.',
    handler: async ({ context, path }) => {
      const key = { flow_run_id: path.id, key: path.key };
      const removed = await context.transaction((tx) => flowRunInputs.removeAll(tx, key));
      if (removed === 0) notFound(MISSING_INPUT);
    },
  }),
];
