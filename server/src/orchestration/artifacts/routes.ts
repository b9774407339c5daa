import { found } from '../../errors.ts';
import { created, type Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Type } from '../../schema/kinds.ts';
import { filtersAndPart, listQuery, partOf } from '../filters/pagination.ts';
import { createArtifact, deleteArtifact, MISSING, updateArtifact } from './operations.ts';
import { artifacts, collections, countArtifacts, countCollections, listArtifacts, listCollections } from './queries.ts';
import {
  Artifact,
  ArtifactCollection,
  ArtifactCreate,
  ArtifactSort,
  ArtifactUpdate,
  artifactBodies,
} from './schema.ts';

const { get, search, post, patch, remove } = routesOf('Artifacts', 'artifacts');

export const artifactRoutes: readonly Route[] = [
  post('/artifacts/', 'create_artifact_artifacts__post', {
    summary: 'Create an artifact',
    description:
      'Stores a result for people to read: a table, text, link, image or progress. With a key, it becomes the latest version of that key.',
    body: ArtifactCreate,
    bodySize: 'large',
    responses: { 200: Artifact },
    async handler({ context, body }) {
      return created(await createArtifact(context, body));
    },
  }),
  get('/artifacts/', 'list_artifacts_artifacts__get', {
    summary: 'List artifacts',
    description: 'One page of artifacts, every version. `limit` is at most the largest page of this server.',
    query: listQuery(ArtifactSort, 'ID_DESC'),
    answers: Type.Array(Artifact),
    handler: ({ context, query }) => listArtifacts(context.answerDb, {}, partOf(context, query)),
  }),
  get('/artifacts/{id}', 'read_artifact_artifacts__id__get', {
    summary: 'Read an artifact',
    description: 'One version of an artifact by id. 404 when there is none.',
    answers: Artifact,
    handler: async ({ context, path }) => found(await artifacts.first(context.db, path), MISSING),
  }),
  patch('/artifacts/{id}', 'update_artifact_artifacts__id__patch', {
    summary: 'Update an artifact',
    description: 'Changes data, description or metadata of one version. 404 when there is none.',
    body: ArtifactUpdate,
    bodySize: 'large',
    handler: ({ context, path, body }) => updateArtifact(context, path.id, body),
  }),
  remove('/artifacts/{id}', 'delete_artifact_artifacts__id__delete', {
    summary: 'Delete an artifact',
    description:
      'Deletes one version. If it was the latest of its key, the previous one becomes the latest. 404 when there is none.',
    handler: ({ context, path }) => deleteArtifact(context, path.id),
  }),
  get('/artifacts/{key}/latest', 'read_latest_artifact_artifacts__key__latest_get', {
    summary: 'Read the latest artifact of a key',
    description: 'The newest version of a key. 404 when there is none.',
    answers: Artifact,
    handler: async ({ context, path }) => found(await collections.first(context.db, path), MISSING),
  }),
  search('/artifacts/filter', 'read_artifacts_artifacts_filter_post', {
    summary: 'List artifacts that match filters',
    description:
      'One page of the versions that match all the filters, in the order of `sort`. `limit` is at most the largest page of this server.',
    body: artifactBodies.filter,
    answers: Type.Array(Artifact),
    handler: ({ context, body }) => listArtifacts(context.answerDb, ...filtersAndPart(context, body)),
  }),
  search('/artifacts/count', 'count_artifacts_artifacts_count_post', {
    summary: 'Count artifacts',
    description: 'The number of versions that match all the filters.',
    body: artifactBodies.count,
    answers: Type.Integer(),
    handler: ({ context, body }) => countArtifacts(context.db, body),
  }),
  search('/artifacts/latest/filter', 'read_latest_artifacts_artifacts_latest_filter_post', {
    summary: 'List the latest artifacts of keys',
    description: 'One page of the newest versions of keys that match all the filters.',
    body: artifactBodies.latest_filter,
    answers: Type.Array(ArtifactCollection),
    handler: ({ context, body }) => listCollections(context.answerDb, ...filtersAndPart(context, body)),
  }),
  search('/artifacts/latest/count', 'count_latest_artifacts_artifacts_latest_count_post', {
    summary: 'Count the keys of artifacts',
    description: 'The number of keys whose newest version matches all the filters.',
    body: artifactBodies.latest_count,
    answers: Type.Integer(),
    handler: ({ context, body }) => countCollections(context.db, body),
  }),
];
