import { Unprocessable } from '../../errors.ts';
import { API_VERSION, REFERENCE_VERSION } from '../../http/api-version.ts';
import { noContent, ok, type Route, route } from '../../http/route.ts';
import { Json, Type } from '../../schema/kinds.ts';
import { chooseResultStorage, clearResultStorage, readResultStorage } from '../blocks/result-storage.ts';
import { CsrfToken, csrfTokenQuery, ServerDefaultResultStorage, ServerDefaultResultStorageUpdate } from './schema.ts';
import { settingsTree } from './settings.ts';
import { Settings } from './settings-schema.ts';

const root = ['Root'];
const admin = ['Admin'];

/** Probes: the only routes that need no credential. */
const probeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/health',
    operationId: 'health_check_health_get',
    summary: 'Tell whether the server answers',
    description:
      'Always `true` while the process takes requests. It does not check the database; use `/ready` for that.',
    tags: root,
    permission: 'public',
    anyApiVersion: true,
    responses: { 200: Type.Boolean() },
    handler: () => ok(true),
  }),
  route({
    method: 'GET',
    path: '/ready',
    operationId: 'perform_readiness_check_ready_get',
    summary: 'Tell whether the server can work',
    description:
      'Answers 200 while the database can be used, and 503 with the reason while it cannot or the server is about to stop. For load balancers and container orchestrators.',
    tags: root,
    permission: 'public',
    responses: { 200: Json() },
    async handler({ context }) {
      const { draining } = context.server.requests;
      if (draining !== undefined) return { status: 503, body: { message: draining } };
      if (await context.server.store.takesWrites()) return ok({ message: 'OK' });
      return { status: 503, body: { message: 'Database is not available' } };
    },
  }),
];

const versionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/version',
    operationId: 'server_version_version_get',
    summary: 'Read the version of the API',
    description: 'The version of the Prefect API that this server speaks, as a JSON string.',
    tags: root,
    permission: 'settings:read',
    anyApiVersion: true,
    responses: { 200: Type.String() },
    handler: () => ok(API_VERSION),
  }),
  route({
    method: 'GET',
    path: '/hello',
    operationId: 'hello_hello_get',
    summary: 'Say hello',
    description: 'Returns a fixed greeting, to try the address and the credential.',
    tags: root,
    permission: 'settings:read',
    responses: { 200: Type.String() },
    handler: () => ok('👋'),
  }),
  route({
    method: 'GET',
    path: '/admin/version',
    operationId: 'read_version_admin_version_get',
    summary: 'Read the version for clients',
    description:
      'The version of the Prefect API that this server speaks. Clients compare it with their own and warn when it is older.',
    tags: admin,
    permission: 'settings:read',
    responses: { 200: Type.String() },
    handler: () => ok(REFERENCE_VERSION),
  }),
];

const settingsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/admin/settings',
    operationId: 'read_settings_admin_settings_get',
    summary: 'Read the settings in force',
    description:
      "The settings in the reference server's form, for its interface and command line. Secrets are masked. `signalbox config` lists the settings of this server under its own names.",
    tags: admin,
    permission: 'settings:read',
    responses: { 200: Settings },
    handler: ({ context }) => ok(settingsTree(context.server.config)),
  }),
  route({
    method: 'GET',
    path: '/admin/storage',
    operationId: 'read_server_default_result_storage_admin_storage_get',
    summary: 'Read the default storage of results',
    description:
      'The block document that flows keep their results in when they name none; null fields when none is set.',
    tags: admin,
    permission: 'settings:read',
    responses: { 200: ServerDefaultResultStorage },
    handler: async ({ context }) => ok(await readResultStorage(context.db)),
  }),
  route({
    method: 'PUT',
    path: '/admin/storage',
    operationId: 'update_server_default_result_storage_admin_storage_put',
    summary: 'Set the default storage of results',
    description:
      'Names the block document that flows keep their results in when they name none. 404 when there is no such document; 422 when it is of a type that stores nothing.',
    tags: admin,
    permission: 'settings:write',
    body: ServerDefaultResultStorageUpdate,
    responses: { 200: ServerDefaultResultStorage },
    handler: async ({ context, body }) => ok(await chooseResultStorage(context, body.default_result_storage_block_id)),
  }),
  route({
    method: 'DELETE',
    path: '/admin/storage',
    operationId: 'clear_server_default_result_storage_admin_storage_delete',
    summary: 'Clear the default storage of results',
    description:
      'Flows that name no storage keep their results on their own machine from then on. Clearing it twice is not an error.',
    tags: admin,
    permission: 'settings:write',
    responses: { 204: null },
    async handler({ context }) {
      await clearResultStorage(context);
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/csrf-token',
    operationId: 'create_csrf_token_csrf_token_get',
    summary: 'Ask for a CSRF token',
    description: 'This server does not need such tokens for its API and answers 422, which tells clients to send none.',
    tags: [],
    permission: 'settings:read',
    query: csrfTokenQuery,
    responses: { 200: CsrfToken },
    /** Clients stop asking for tokens, and send none, once they have read this sentence. */
    handler: () => {
      throw new Unprocessable('CSRF protection is disabled.');
    },
  }),
];

export const adminRoutes: readonly Route[] = [...probeRoutes, ...versionRoutes, ...settingsRoutes];
