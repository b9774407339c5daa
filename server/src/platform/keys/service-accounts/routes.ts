import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { pageQuery, readPage } from '../../page.ts';
import {
  changeServiceAccount,
  createServiceAccount,
  deleteServiceAccount,
  readServiceAccount,
  setServiceAccountState,
} from './operations.ts';
import { serviceAccountOf, serviceAccounts } from './queries.ts';
import {
  ServiceAccount,
  ServiceAccountCreate,
  ServiceAccountCreated,
  ServiceAccountList,
  ServiceAccountUpdate,
} from './schema.ts';

const { get, post, patch, remove } = organizationRoutes('Service accounts', 'admin');

export const serviceAccountRoutes = [
  get('/service-accounts', 'listServiceAccounts', {
    summary: 'List service accounts',
    description: 'The service accounts of the organization, active and suspended, oldest first.',
    query: pageQuery,
    answers: ServiceAccountList,
    handler: ({ context, query }) =>
      readPage(
        query,
        'ascending',
        (position) => serviceAccounts.page(context.db, { organization_id: context.organization.id }, position),
        serviceAccountOf,
      ),
  }),
  post('/service-accounts', 'createServiceAccount', {
    summary: 'Create a service account',
    description:
      'Creates an account for a program with its first key. Only this answer contains the secret. 409 `name_taken` when the name is in use.',
    conflicts: ['name_taken'],
    body: ServiceAccountCreate,
    answers: [201, ServiceAccountCreated],
    handler: ({ context, body }) => createServiceAccount(context, body),
  }),
  get('/service-accounts/{id}', 'readServiceAccount', {
    summary: 'Read a service account',
    description: 'One service account by id. 404 for one that is deleted or belongs to another organization.',
    answers: ServiceAccount,
    handler: ({ context, path }) => readServiceAccount(context, path.id),
  }),
  patch('/service-accounts/{id}', 'updateServiceAccount', {
    summary: 'Update a service account',
    description:
      'Changes name, description or role. Omitted fields do not change. 409 `name_taken` when the name is in use.',
    conflicts: ['name_taken'],
    body: ServiceAccountUpdate,
    answers: ServiceAccount,
    handler: ({ context, path, body }) => changeServiceAccount(context, path.id, body),
  }),
  remove('/service-accounts/{id}', 'deleteServiceAccount', {
    summary: 'Delete a service account',
    description:
      'Its keys stop working at the next request, and its grants end. Its name can be used again. The audit log keeps its entries.',
    handler: ({ context, path }) => deleteServiceAccount(context, path.id),
  }),
  ...(['suspend', 'resume'] as const).map((verb) =>
    post(`/service-accounts/{id}/${verb}`, `${verb}ServiceAccount`, {
      summary: verb === 'suspend' ? 'Suspend a service account' : 'Resume a service account',
      description:
        verb === 'suspend'
          ? 'Its keys do not work until it is resumed. Keys and grants do not change.'
          : 'Its keys and grants work again, as they were before it was suspended.',
      answers: ServiceAccount,
      handler: ({ context, path }) =>
        setServiceAccountState(context, path.id, verb === 'suspend' ? 'suspended' : 'active'),
    }),
  ),
];
