import type { OrganizationContext } from '../../../context/platform-context.ts';
import type { Position } from '../../../database/rows.ts';
import { found } from '../../../errors.ts';
import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { serverBuilds } from '../../../mcp/hosting/builds/queries.ts';
import { buildOutput } from '../../../mcp/hosting/output/stored-output.ts';
import { pageQuery, readPage } from '../../page.ts';
import { readOutput } from '../processes/output-page.ts';
import { OutputPage, outputQuery } from '../processes/schema.ts';
import { hostedServerFor } from '../server/hosted-access.ts';
import { cancelBuild, MISSING, requestBuild } from './operations.ts';
import { buildOf, uploadOf } from './queries.ts';
import { Build, BuildCreate, BuildList, Upload, UploadCreate } from './schema.ts';
import { announceUpload, storeUpload } from './uploads.ts';

const { get, post, put } = organizationRoutes('Hosted servers', 'member');

async function buildFor(context: OrganizationContext, path: { server: string; id: string }) {
  const { id } = await hostedServerFor(context, path.server, 'editor');
  return found(await serverBuilds.first(context.db, { server_id: id, id: path.id }), MISSING);
}

export const serverBuildRoutes = [
  get('/servers/{server}/builds', 'listServerBuilds', {
    summary: 'List builds',
    description: 'The builds of a hosted server with their state, newest first.',
    conflicts: ['not_hosted'],
    query: pageQuery,
    answers: BuildList,
    handler: async ({ context, path, query }) => {
      const { id } = await hostedServerFor(context, path.server, 'editor');
      const read = (position: Position) => serverBuilds.page(context.db, { server_id: id }, position);
      return readPage(query, 'descending', read, buildOf);
    },
  }),
  post('/servers/{server}/builds', 'createServerBuild', {
    summary: 'Start a build',
    description:
      'Builds a command, a folder, a Git commit or an uploaded archive, with the current environment variables. Commands, folders and `file:` repositories are for operators: administrators of the organization behind `/api`. With `deploy` a successful build goes live.',
    conflicts: ['not_hosted'],
    body: BuildCreate,
    answers: [201, Build],
    handler: async ({ context, path, body }) => {
      const row = await hostedServerFor(context, path.server, 'editor');
      return buildOf(await requestBuild(context, row, body));
    },
  }),
  get('/servers/{server}/builds/{id}', 'readServerBuild', {
    summary: 'Read a build',
    description: 'State, source and times of one build, and the reason of a failure. 404 when there is none.',
    conflicts: ['not_hosted'],
    answers: Build,
    handler: async ({ context, path }) => buildOf(await buildFor(context, path)),
  }),
  get('/servers/{server}/builds/{id}/logs', 'readServerBuildLogs', {
    summary: 'Read the output of a build',
    description: 'The lines that its steps printed, newest last. `after` returns only later lines.',
    conflicts: ['not_hosted'],
    query: outputQuery,
    answers: OutputPage,
    handler: async ({ context, path, query }) => {
      const { id } = await buildFor(context, path);
      return readOutput(context.db, buildOutput, id, query);
    },
  }),
  post('/servers/{server}/builds/{id}/cancel', 'cancelServerBuild', {
    summary: 'Cancel a build',
    description: 'Ends a build that waits or runs. 409 `build_ended` when it has already ended.',
    conflicts: ['not_hosted', 'build_ended'],
    answers: Build,
    handler: async ({ context, path }) => {
      const row = await hostedServerFor(context, path.server, 'editor');
      return buildOf(await cancelBuild(context, row, path.id));
    },
  }),
  post('/servers/{server}/uploads', 'createServerUpload', {
    summary: 'Announce an archive',
    description:
      'Announces a gzipped tar archive of source code by its size in bytes and SHA-256, and returns the address for the upload.',
    conflicts: ['not_hosted'],
    body: UploadCreate,
    answers: [201, Upload],
    handler: async ({ context, path, body }) => {
      const row = await hostedServerFor(context, path.server, 'editor');
      return uploadOf(await announceUpload(context, row, body));
    },
  }),
  put('/servers/{server}/uploads/{id}', 'storeServerUpload', {
    summary: 'Send an archive',
    description:
      'Receives the bytes of an announced archive as the whole body. 413 if it is larger than this server accepts, 422 if its size or checksum is not the announced one.',
    conflicts: ['not_hosted', 'already_stored'],
    binary: true,
    answers: Upload,
    handler: async ({ context, path, bytes }) => {
      const row = await hostedServerFor(context, path.server, 'editor');
      return uploadOf(await storeUpload(context, row, path.id, bytes));
    },
  }),
];
