import type { Position } from '../../../database/rows.ts';
import { found } from '../../../errors.ts';
import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { pageQuery, readPage } from '../../page.ts';
import { hostedServerFor } from '../server/hosted-access.ts';
import { MISSING, removeVariable, setVariable } from './operations.ts';
import { serverVariables, variableOf } from './queries.ts';
import { Variable, VariableList, VariablePut, VariableWithValue } from './schema.ts';

const { get, put, remove } = organizationRoutes('Hosted servers', 'member');

export const serverEnvironmentRoutes = [
  get('/servers/{server}/environment', 'listServerVariables', {
    summary: 'List variables of a hosted server',
    description: 'Names and kinds of its environment variables, without values.',
    conflicts: ['not_hosted'],
    query: pageQuery,
    answers: VariableList,
    handler: async ({ context, path, query }) => {
      const { id } = await hostedServerFor(context, path.server, 'editor');
      const read = (position: Position) => serverVariables.page(context.db, { server_id: id }, position);
      return readPage(query, 'ascending', read, variableOf);
    },
  }),
  get('/servers/{server}/environment/{name}', 'readServerVariable', {
    summary: 'Read a variable of a hosted server',
    description: 'One variable, with its value unless it is sensitive. 404 when there is none.',
    conflicts: ['not_hosted'],
    answers: VariableWithValue,
    handler: async ({ context, path }) => {
      const { id } = await hostedServerFor(context, path.server, 'editor');
      const row = found(await serverVariables.first(context.db, { server_id: id, name: path.name }), MISSING);
      const value = row.sensitive ? null : context.server.encryption.decrypt(row.encrypted_value);
      return { ...variableOf(row), value };
    },
  }),
  put('/servers/{server}/environment/{name}', 'setServerVariable', {
    summary: 'Set a variable of a hosted server',
    description:
      'Sets the variable and replaces running processes, so that they get it. Later builds get it too. No answer contains the value of a sensitive variable.',
    conflicts: ['not_hosted', 'too_many_variables'],
    body: VariablePut,
    answers: Variable,
    handler: async ({ context, path, body }) => {
      const row = await hostedServerFor(context, path.server, 'editor');
      return variableOf(await setVariable(context, row, path.name, body));
    },
  }),
  remove('/servers/{server}/environment/{name}', 'deleteServerVariable', {
    summary: 'Delete a variable of a hosted server',
    description: 'Deletes the variable and replaces running processes. 404 when there is none.',
    conflicts: ['not_hosted'],
    handler: async ({ context, path }) =>
      await removeVariable(context, await hostedServerFor(context, path.server, 'editor'), path.name),
  }),
];
