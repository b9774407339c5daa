import { Unprocessable } from '../../errors.ts';
import { API_VERSION, REFERENCE_VERSION } from '../../http/request/api-version.ts';
import { ok, type Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Json, Type } from '../../schema/kinds.ts';
import { chooseResultStorage, clearResultStorage, readResultStorage } from '../blocks/result-storage.ts';
import { CsrfToken, csrfTokenQuery, ServerDefaultResultStorage, ServerDefaultResultStorageUpdate } from './schema.ts';
import { settingsTree } from './settings.ts';
import { Settings } from './settings-schema.ts';

const root = ['Root'];
const { get, put, remove } = routesOf('Admin', 'settings');

/** Probes: the only routes that need no credential. */
const probeRoutes: readonly Route[] = [
  get('/health', 'health_check_health_get', {
    summary: 'Check that the server answers',
    description:
      'Returns `true` while the process accepts requests. It does not check the database; use `/ready` for that.',
    tags: root,
    permission: 'public',
    anyApiVersion: true,
    answers: Type.Boolean(),
    handler: () => true,
  }),
  get('/ready', 'perform_readiness_check_ready_get', {
    summary: 'Check that the server can work',
    description:
      'Returns 200 while the database can be used, and 503 with the reason while it cannot or the server is stopping. For load balancers and container orchestrators.',
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
  get('/version', 'server_version_version_get', {
    summary: 'Read the version of the API',
    description: 'The version of the Prefect API that this server speaks, as a JSON string.',
    tags: root,
    anyApiVersion: true,
    answers: Type.String(),
    handler: () => API_VERSION,
  }),
  get('/hello', 'hello_hello_get', {
    summary: 'Return a greeting',
    description: 'Returns a fixed greeting. Use it to test the address and the credential.',
    tags: root,
    answers: Type.String(),
    handler: () => '👋',
  }),
  get('/admin/version', 'read_version_admin_version_get', {
    summary: 'Read the version for clients',
    description:
      'The version of the Prefect API that this server speaks. Clients compare it with their own version and warn when it is older.',
    answers: Type.String(),
    handler: () => REFERENCE_VERSION,
  }),
];

const settingsRoutes: readonly Route[] = [
  get('/admin/settings', 'read_settings_admin_settings_get', {
    summary: 'Read the settings in force',
    description:
      "The settings in the reference server's form, for its interface and command line. Secrets are masked. `signalbox config` lists the settings of this server under its own names.",
    answers: Settings,
    handler: ({ context }) => settingsTree(context.server.config),
  }),
  get('/admin/storage', 'read_server_default_result_storage_admin_storage_get', {
    summary: 'Read the default storage of results',
    description:
      'The block document for the results of flows that name no storage. Its fields are null when none is set.',
    answers: ServerDefaultResultStorage,
    handler: ({ context }) => readResultStorage(context.db),
  }),
  put('/admin/storage', 'update_server_default_result_storage_admin_storage_put', {
    summary: 'Set the default storage of results',
    description:
      'Sets the block document for the results of flows that name no storage. 404 when there is no such document; 422 when its type cannot store results.',
    body: ServerDefaultResultStorageUpdate,
    answers: ServerDefaultResultStorage,
    handler: ({ context, body }) => chooseResultStorage(context, body.default_result_storage_block_id),
  }),
  remove('/admin/storage', 'clear_server_default_result_storage_admin_storage_delete', {
    summary: 'Clear the default storage of results',
    description:
      'After that, flows that name no storage keep their results on their own machine. Clearing it twice is not an error.',
    handler: ({ context }) => clearResultStorage(context),
  }),
  get('/csrf-token', 'create_csrf_token_csrf_token_get', {
    summary: 'Request a CSRF token',
    description: 'The API of this server does not use CSRF tokens. It answers 422, after which clients send none.',
    tags: [],
    query: csrfTokenQuery,
    answers: CsrfToken,
    /** Clients that have read this sentence no longer request tokens, and send none. */
    handler: () => {
      throw new Unprocessable('CSRF protection is disabled.');
    },
  }),
];

export const adminRoutes: readonly Route[] = [...probeRoutes, ...versionRoutes, ...settingsRoutes];
