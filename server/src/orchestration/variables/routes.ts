import { found } from '../../errors.ts';
import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Type } from '../../schema/kinds.ts';
import { listQuery, partOf } from '../filters/pagination.ts';
import { createVariable, deleteVariable, MISSING, updateVariable } from './operations.ts';
import { variables } from './queries.ts';
import { Variable, VariableCreate, VariableSort, VariableUpdate, variableBodies } from './schema.ts';

const { get, search, post, patch, remove } = routesOf('Variables', 'variables');

export const variableRoutes: readonly Route[] = [
  post('/variables/', 'create_variable_variables__post', {
    summary: 'Create a variable',
    description:
      'Stores a JSON value under a name. Flows read it by that name. Names are lower-case letters, digits, underscores and dashes. 409 when the name is taken.',
    body: VariableCreate,
    answers: [201, Variable],
    handler: ({ context, body }) => createVariable(context, body),
  }),
  get('/variables/', 'list_variables_variables__get', {
    summary: 'List variables',
    description: 'One page of variables. `limit` is at most the largest page of this server.',
    query: listQuery(VariableSort, 'NAME_ASC'),
    answers: Type.Array(Variable),
    handler: ({ context, query }) => variables.list(context.answerDb, null, partOf(context, query)),
  }),
  search('/variables/filter', 'read_variables_variables_filter_post', {
    summary: 'List variables that match filters',
    description:
      'One page of the variables that match, in the order of `sort`. `limit` is at most the largest page of this server.',
    body: variableBodies.filter,
    answers: Type.Array(Variable),
    handler: ({ context, body }) => variables.list(context.answerDb, body.variables, partOf(context, body)),
  }),
  search('/variables/count', 'count_variables_variables_count_post', {
    summary: 'Count variables',
    description: 'The number of variables that match the filter.',
    body: variableBodies.count,
    answers: Type.Integer(),
    handler: ({ context, body }) => variables.count(context.db, body.variables),
  }),
  get('/variables/{id}', 'read_variable_variables__id__get', {
    summary: 'Read a variable',
    description: 'One variable by id. 404 when there is none.',
    answers: Variable,
    handler: async ({ context, path }) => found(await variables.first(context.db, path), MISSING),
  }),
  patch('/variables/{id}', 'update_variable_variables__id__patch', {
    summary: 'Update a variable',
    description: 'Changes name, value or tags. 404 when there is none, 409 when the new name is taken.',
    body: VariableUpdate,
    handler: ({ context, path, body }) => updateVariable(context, path, body),
  }),
  remove('/variables/{id}', 'delete_variable_variables__id__delete', {
    summary: 'Delete a variable',
    description: 'Deletes one variable by id. 404 when there is none.',
    handler: ({ context, path }) => deleteVariable(context, path),
  }),
  get('/variables/name/{name}', 'read_variable_by_name_variables_name__name__get', {
    summary: 'Read a variable by name',
    description: 'One variable by its exact name. 404 when there is none.',
    answers: Variable,
    handler: async ({ context, path }) => found(await variables.first(context.db, path), MISSING),
  }),
  patch('/variables/name/{name}', 'update_variable_by_name_variables_name__name__patch', {
    summary: 'Update a variable by name',
    description: 'Changes name, value or tags. 404 when there is none, 409 when the new name is taken.',
    body: VariableUpdate,
    handler: ({ context, path, body }) => updateVariable(context, path, body),
  }),
  remove('/variables/name/{name}', 'delete_variable_by_name_variables_name__name__delete', {
    summary: 'Delete a variable by name',
    description: 'Deletes one variable by its exact name. 404 when there is none.',
    handler: ({ context, path }) => deleteVariable(context, path),
  }),
];
