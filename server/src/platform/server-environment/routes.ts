import { NotFound } from '../../errors.ts';
import { platformRoute } from '../../http/platform-route.ts';
import { noContent, ok } from '../../http/route.ts';
import { pageQuery, readPage } from '../page.ts';
import { hostedServerFor } from '../servers/hosted-access.ts';
import { removeVariable, setVariable } from './operations.ts';
import { findVariable, listVariablesPage, variableOf } from './queries.ts';
import { Variable, VariableList, VariablePut, VariableWithValue } from './schema.ts';

const all = '/organizations/{org}/servers/{server}/environment';
const one = `${all}/{name}`;
const tags = ['Hosted servers'];
const access = 'organization:member';
const ofAll = { tags, access, parameters: { org: 'text', server: 'text' } } as const;
const ofOne = { tags, access, parameters: { org: 'text', server: 'text', name: 'text' } } as const;

export const serverEnvironmentRoutes = [
  platformRoute({
    ...ofAll,
    method: 'GET',
    path: all,
    operationId: 'listServerVariables',
    summary: 'List variables of a hosted server',
    description: 'Names and kinds of its environment variables, without values.',
    conflicts: ['not_hosted'],
    query: pageQuery,
    responses: { 200: VariableList },
    handler: async ({ context, path, query }) => {
      const { id } = await hostedServerFor(context, path.server, 'editor');
      const read = (position: { cursor: string; limit: number }) =>
        context.db.all(listVariablesPage, { server_id: id, ...position });
      return ok(await readPage(query, 'ascending', read, variableOf));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: one,
    operationId: 'readServerVariable',
    summary: 'Read a variable of a hosted server',
    description: 'One variable, with its value unless it is sensitive. 404 when there is none.',
    conflicts: ['not_hosted'],
    responses: { 200: VariableWithValue },
    handler: async ({ context, path }) => {
      const { id } = await hostedServerFor(context, path.server, 'editor');
      const row = await context.db.first(findVariable, { server_id: id, name: path.name });
      if (!row) throw new NotFound('Variable not found.');
      const value = row.sensitive ? null : context.server.encryption.decrypt(row.encrypted_value);
      return ok({ ...variableOf(row), value });
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'PUT',
    path: one,
    operationId: 'setServerVariable',
    summary: 'Set a variable of a hosted server',
    description:
      'Replaces running processes, so that they see the variable. Later builds see it too. No answer contains the value of a sensitive variable.',
    conflicts: ['not_hosted', 'too_many_variables'],
    body: VariablePut,
    responses: { 200: Variable },
    handler: async ({ context, path, body }) => {
      const row = await hostedServerFor(context, path.server, 'editor');
      return ok(variableOf(await setVariable(context, row, path.name, body)));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'DELETE',
    path: one,
    operationId: 'deleteServerVariable',
    summary: 'Delete a variable of a hosted server',
    description: 'Processes that run are replaced. 404 when there is none.',
    conflicts: ['not_hosted'],
    responses: { 204: null },
    handler: async ({ context, path }) => {
      await removeVariable(context, await hostedServerFor(context, path.server, 'editor'), path.name);
      return noContent;
    },
  }),
];
