import { NotFound } from '../../errors.ts';
import { buildOutput } from '../../hosting/stored-output.ts';
import { platformRoute } from '../../http/platform-route.ts';
import { created, ok } from '../../http/route.ts';
import type { OrganizationContext } from '../../platform-context.ts';
import { pageQuery, readPage } from '../page.ts';
import { readOutput } from '../server-processes/output-page.ts';
import { OutputPage, outputQuery } from '../server-processes/schema.ts';
import { hostedServerFor } from '../servers/hosted-access.ts';
import { cancelBuild, requestBuild } from './operations.ts';
import { buildOf, findBuild, listBuilds, uploadOf } from './queries.ts';
import { Build, BuildCreate, BuildList, Upload, UploadCreate } from './schema.ts';
import { announceUpload, storeUpload } from './uploads.ts';

const server = '/organizations/{org}/servers/{server}';
const all = `${server}/builds`;
const one = `${all}/{id}`;
const tags = ['Hosted servers'];
const access = 'organization:member';
const ofAll = { tags, access, parameters: { org: 'text', server: 'text' } } as const;
const ofOne = { tags, access, parameters: { org: 'text', server: 'text', id: 'uuid' } } as const;

async function buildFor(context: OrganizationContext, path: { server: string; id: string }) {
  const { id } = await hostedServerFor(context, path.server, 'editor');
  const row = await context.db.first(findBuild, { server_id: id, id: path.id });
  if (!row) throw new NotFound('Build not found.');
  return row;
}

export const serverBuildRoutes = [
  platformRoute({
    ...ofAll,
    method: 'GET',
    path: all,
    operationId: 'listServerBuilds',
    conflicts: ['not_hosted'],
    summary: 'The builds of a hosted server, the newest first.',
    query: pageQuery,
    responses: { 200: BuildList },
    handler: async ({ context, path, query }) => {
      const { id } = await hostedServerFor(context, path.server, 'editor');
      const read = (position: { cursor: string; limit: number }) =>
        context.db.all(listBuilds, { server_id: id, ...position });
      return ok(await readPage(query, 'descending', read, buildOf));
    },
  }),
  platformRoute({
    ...ofAll,
    method: 'POST',
    path: all,
    operationId: 'createServerBuild',
    conflicts: ['not_hosted'],
    summary:
      'Builds a source, with the variables as they are now. Commands, folders and file: repositories are for operators: administrators of the organization behind /api.',
    body: BuildCreate,
    responses: { 201: Build },
    handler: async ({ context, path, body }) => {
      const row = await hostedServerFor(context, path.server, 'editor');
      return created(buildOf(await requestBuild(context, row, body)));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: one,
    operationId: 'readServerBuild',
    conflicts: ['not_hosted'],
    summary: 'One build.',
    responses: { 200: Build },
    handler: async ({ context, path }) => ok(buildOf(await buildFor(context, path))),
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: `${one}/logs`,
    operationId: 'readServerBuildLogs',
    conflicts: ['not_hosted'],
    summary: 'What a build has printed, the newest last.',
    query: outputQuery,
    responses: { 200: OutputPage },
    handler: async ({ context, path, query }) => {
      const { id } = await buildFor(context, path);
      return ok(await readOutput(context.db, buildOutput, id, query));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'POST',
    path: `${one}/cancel`,
    operationId: 'cancelServerBuild',
    conflicts: ['not_hosted', 'build_ended'],
    summary: 'Ends a build that waits or runs.',
    responses: { 200: Build },
    handler: async ({ context, path }) => {
      const row = await hostedServerFor(context, path.server, 'editor');
      return ok(buildOf(await cancelBuild(context, row, path.id)));
    },
  }),
  platformRoute({
    ...ofAll,
    method: 'POST',
    path: `${server}/uploads`,
    operationId: 'createServerUpload',
    conflicts: ['not_hosted'],
    summary: 'Announces a gzipped tar archive of source code.',
    body: UploadCreate,
    responses: { 201: Upload },
    handler: async ({ context, path, body }) => {
      const row = await hostedServerFor(context, path.server, 'editor');
      return created(uploadOf(await announceUpload(context, row, body)));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'PUT',
    path: `${server}/uploads/{id}`,
    operationId: 'storeServerUpload',
    conflicts: ['not_hosted', 'already_stored'],
    summary: 'Sends the bytes of an announced archive, as the whole body.',
    binary: true,
    responses: { 200: Upload },
    handler: async ({ context, path, bytes }) => {
      const row = await hostedServerFor(context, path.server, 'editor');
      return ok(uploadOf(await storeUpload(context, row, path.id, bytes)));
    },
  }),
];
