import { created, noContent, ok, type Route, route } from '../../http/route.ts';
import { Type } from '../../schema/kinds.ts';
import { listQuery, pageLimit } from '../filters/pagination.ts';
import { createVariable, deleteVariable, missingVariable, updateVariable } from './operations.ts';
import { countVariables, findVariable, listVariables } from './queries.ts';
import { Variable, VariableCreate, VariableSort, VariableUpdate, variableBodies } from './schema.ts';

const tags = ['Variables'];

export const variableRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/variables/',
    operationId: 'create_variable_variables__post',
    summary: 'Create a variable',
    description:
      'Keeps a JSON value under a name that flows read it by. Names are lower-case letters, digits, underscores and dashes. 409 when the name is taken.',
    tags,
    permission: 'variables:write',
    body: VariableCreate,
    responses: { 201: Variable },
    async handler({ context, body }) {
      return created(await createVariable(context, body));
    },
  }),
  route({
    method: 'GET',
    path: '/variables/',
    operationId: 'list_variables_variables__get',
    summary: 'List variables',
    description: 'One page of variables. `limit` is at most the largest page of this server.',
    tags,
    permission: 'variables:read',
    query: listQuery(VariableSort, 'NAME_ASC'),
    responses: { 200: Type.Array(Variable) },
    async handler({ context, query }) {
      const { sort, offset, limit } = query;
      return ok(await listVariables(context.answerDb, null, { sort, offset, limit: pageLimit(context, limit) }));
    },
  }),
  route({
    method: 'POST',
    path: '/variables/filter',
    operationId: 'read_variables_variables_filter_post',
    summary: 'List variables that match filters',
    description:
      'One page of the variables that match, in the order of `sort`. `limit` is at most the largest page of this server.',
    tags,
    permission: 'variables:read',
    body: variableBodies.filter,
    responses: { 200: Type.Array(Variable) },
    async handler({ context, body }) {
      const { variables, sort, offset, limit } = body;
      return ok(await listVariables(context.answerDb, variables, { sort, offset, limit: pageLimit(context, limit) }));
    },
  }),
  route({
    method: 'POST',
    path: '/variables/count',
    operationId: 'count_variables_variables_count_post',
    summary: 'Count variables',
    description: 'The number of variables that match the filter.',
    tags,
    permission: 'variables:read',
    body: variableBodies.count,
    responses: { 200: Type.Integer() },
    async handler({ context, body }) {
      return ok(await countVariables(context.db, body.variables));
    },
  }),
  route({
    method: 'GET',
    path: '/variables/{id}',
    operationId: 'read_variable_variables__id__get',
    summary: 'Read a variable',
    description: 'One variable by id. 404 when there is none.',
    tags,
    permission: 'variables:read',
    parameters: { id: 'uuid' },
    responses: { 200: Variable },
    async handler({ context, path: { id } }) {
      return ok((await findVariable(context.db, { id })) ?? missing());
    },
  }),
  route({
    method: 'PATCH',
    path: '/variables/{id}',
    operationId: 'update_variable_variables__id__patch',
    summary: 'Update a variable',
    description: 'Changes name, value or tags. 404 when there is none, 409 when the new name is taken.',
    tags,
    permission: 'variables:write',
    parameters: { id: 'uuid' },
    body: VariableUpdate,
    responses: { 204: null },
    async handler({ context, path: { id }, body }) {
      await updateVariable(context, { id }, body);
      return noContent;
    },
  }),
  route({
    method: 'DELETE',
    path: '/variables/{id}',
    operationId: 'delete_variable_variables__id__delete',
    summary: 'Delete a variable',
    description: 'Deletes one variable by id. 404 when there is none.',
    tags,
    permission: 'variables:write',
    parameters: { id: 'uuid' },
    responses: { 204: null },
    async handler({ context, path: { id } }) {
      await deleteVariable(context, { id });
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/variables/name/{name}',
    operationId: 'read_variable_by_name_variables_name__name__get',
    summary: 'Read a variable by name',
    description: 'One variable by its exact name. 404 when there is none.',
    tags,
    permission: 'variables:read',
    parameters: { name: 'text' },
    responses: { 200: Variable },
    async handler({ context, path: { name } }) {
      return ok((await findVariable(context.db, { name })) ?? missing());
    },
  }),
  route({
    method: 'PATCH',
    path: '/variables/name/{name}',
    operationId: 'update_variable_by_name_variables_name__name__patch',
    summary: 'Update a variable by name',
    description: 'Changes name, value or tags. 404 when there is none, 409 when the new name is taken.',
    tags,
    permission: 'variables:write',
    parameters: { name: 'text' },
    body: VariableUpdate,
    responses: { 204: null },
    async handler({ context, path: { name }, body }) {
      await updateVariable(context, { name }, body);
      return noContent;
    },
  }),
  route({
    method: 'DELETE',
    path: '/variables/name/{name}',
    operationId: 'delete_variable_by_name_variables_name__name__delete',
    summary: 'Delete a variable by name',
    description: 'Deletes one variable by its exact name. 404 when there is none.',
    tags,
    permission: 'variables:write',
    parameters: { name: 'text' },
    responses: { 204: null },
    async handler({ context, path: { name } }) {
      await deleteVariable(context, { name });
      return noContent;
    },
  }),
];

function missing(): never {
  throw missingVariable();
}
