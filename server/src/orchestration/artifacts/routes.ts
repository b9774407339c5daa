import { created, noContent, ok, type Route, route } from '../../http/route.ts';
import { Type } from '../../schema/kinds.ts';
import { listQuery, pageLimit } from '../filters/pagination.ts';
import { createArtifact, deleteArtifact, missingArtifact, updateArtifact } from './operations.ts';
import {
  countArtifacts,
  countCollections,
  findArtifact,
  findCollection,
  listArtifacts,
  listCollections,
} from './queries.ts';
import {
  Artifact,
  ArtifactCollection,
  ArtifactCreate,
  ArtifactSort,
  ArtifactUpdate,
  artifactBodies,
} from './schema.ts';

const tags = ['Artifacts'];

export const artifactRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/artifacts/',
    operationId: 'create_artifact_artifacts__post',
    summary: 'Create an artifact',
    description:
      'Keeps a result that people look at: a table, text, link, image or progress. With a key, it becomes the latest version under that key.',
    tags,
    permission: 'artifacts:write',
    body: ArtifactCreate,
    bodySize: 'large',
    responses: { 200: Artifact },
    async handler({ context, body }) {
      return created(await createArtifact(context, body));
    },
  }),
  route({
    method: 'GET',
    path: '/artifacts/',
    operationId: 'list_artifacts_artifacts__get',
    summary: 'List artifacts',
    description: 'One page of artifacts, every version. `limit` is at most the largest page of this server.',
    tags,
    permission: 'artifacts:read',
    query: listQuery(ArtifactSort, 'ID_DESC'),
    responses: { 200: Type.Array(Artifact) },
    async handler({ context, query }) {
      const { sort, offset, limit } = query;
      return ok(await listArtifacts(context.answerDb, {}, { sort, offset, limit: pageLimit(context, limit) }));
    },
  }),
  route({
    method: 'GET',
    path: '/artifacts/{id}',
    operationId: 'read_artifact_artifacts__id__get',
    summary: 'Read an artifact',
    description: 'One version of an artifact by id. 404 when there is none.',
    tags,
    permission: 'artifacts:read',
    parameters: { id: 'uuid' },
    responses: { 200: Artifact },
    async handler({ context, path }) {
      return ok((await findArtifact(context.db, path.id)) ?? missing());
    },
  }),
  route({
    method: 'PATCH',
    path: '/artifacts/{id}',
    operationId: 'update_artifact_artifacts__id__patch',
    summary: 'Update an artifact',
    description: 'Changes data, description or metadata of one version. 404 when there is none.',
    tags,
    permission: 'artifacts:write',
    parameters: { id: 'uuid' },
    body: ArtifactUpdate,
    bodySize: 'large',
    responses: { 204: null },
    async handler({ context, path, body }) {
      await updateArtifact(context, path.id, body);
      return noContent;
    },
  }),
  route({
    method: 'DELETE',
    path: '/artifacts/{id}',
    operationId: 'delete_artifact_artifacts__id__delete',
    summary: 'Delete an artifact',
    description:
      'Deletes one version. If it was the latest under its key, the one before becomes the latest. 404 when there is none.',
    tags,
    permission: 'artifacts:write',
    parameters: { id: 'uuid' },
    responses: { 204: null },
    async handler({ context, path }) {
      await deleteArtifact(context, path.id);
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/artifacts/{key}/latest',
    operationId: 'read_latest_artifact_artifacts__key__latest_get',
    summary: 'Read the latest artifact of a key',
    description: 'The newest version under a key. 404 when there is none.',
    tags,
    permission: 'artifacts:read',
    parameters: { key: 'text' },
    responses: { 200: Artifact },
    async handler({ context, path }) {
      return ok((await findCollection(context.db, path.key)) ?? missing());
    },
  }),
  route({
    method: 'POST',
    path: '/artifacts/filter',
    operationId: 'read_artifacts_artifacts_filter_post',
    summary: 'List artifacts that match filters',
    description:
      'One page of the versions that match all the filters, in the order of `sort`. `limit` is at most the largest page of this server.',
    tags,
    permission: 'artifacts:read',
    body: artifactBodies.filter,
    responses: { 200: Type.Array(Artifact) },
    async handler({ context, body }) {
      const { sort, offset, limit, ...filters } = body;
      return ok(await listArtifacts(context.answerDb, filters, { sort, offset, limit: pageLimit(context, limit) }));
    },
  }),
  route({
    method: 'POST',
    path: '/artifacts/count',
    operationId: 'count_artifacts_artifacts_count_post',
    summary: 'Count artifacts',
    description: 'The number of versions that match all the filters.',
    tags,
    permission: 'artifacts:read',
    body: artifactBodies.count,
    responses: { 200: Type.Integer() },
    async handler({ context, body }) {
      return ok(await countArtifacts(context.db, body));
    },
  }),
  route({
    method: 'POST',
    path: '/artifacts/latest/filter',
    operationId: 'read_latest_artifacts_artifacts_latest_filter_post',
    summary: 'List the latest artifacts of keys',
    description: 'One page of the newest version of each key, of those that match all the filters.',
    tags,
    permission: 'artifacts:read',
    body: artifactBodies.latest_filter,
    responses: { 200: Type.Array(ArtifactCollection) },
    async handler({ context, body }) {
      const { sort, offset, limit, ...filters } = body;
      return ok(await listCollections(context.answerDb, filters, { sort, offset, limit: pageLimit(context, limit) }));
    },
  }),
  route({
    method: 'POST',
    path: '/artifacts/latest/count',
    operationId: 'count_latest_artifacts_artifacts_latest_count_post',
    summary: 'Count the keys of artifacts',
    description: 'The number of keys whose newest version matches all the filters.',
    tags,
    permission: 'artifacts:read',
    body: artifactBodies.latest_count,
    responses: { 200: Type.Integer() },
    async handler({ context, body }) {
      return ok(await countCollections(context.db, body));
    },
  }),
];

function missing(): never {
  throw missingArtifact();
}
