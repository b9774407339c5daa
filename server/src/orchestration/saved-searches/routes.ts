import { created, noContent, ok, type Route, route } from '../../http/route.ts';
import { Type } from '../../schema/kinds.ts';
import { limit, offset } from '../filters/filter-schema.ts';
import { pageLimit } from '../filters/pagination.ts';
import { deleteSavedSearch, missingSavedSearch, saveSearch } from './operations.ts';
import { findSavedSearch, listSavedSearches } from './queries.ts';
import { SavedSearch, SavedSearchCreate, savedSearchBodies } from './schema.ts';

const tags = ['SavedSearches'];

export const savedSearchRoutes: readonly Route[] = [
  route({
    method: 'PUT',
    path: '/saved_searches/',
    operationId: 'create_saved_search_saved_searches__put',
    summary: 'Save a search',
    description: 'Keeps the filters of a search of the interface under a name; a search of the same name is replaced.',
    tags,
    permission: 'saved_searches:write',
    body: SavedSearchCreate,
    responses: { 200: SavedSearch },
    async handler({ context, body }) {
      const { search, isNew } = await saveSearch(context, body);
      return isNew ? created(search) : ok(search);
    },
  }),
  route({
    method: 'GET',
    path: '/saved_searches/',
    operationId: 'list_saved_searches_saved_searches__get',
    summary: 'List saved searches',
    description: 'One page of saved searches, by name.',
    tags,
    permission: 'saved_searches:read',
    query: Type.Object({ offset, limit }),
    responses: { 200: Type.Array(SavedSearch) },
    async handler({ context, query }) {
      const { offset, limit } = query;
      return ok(await listSavedSearches(context.answerDb, { offset, limit: pageLimit(context, limit) }));
    },
  }),
  route({
    method: 'GET',
    path: '/saved_searches/{id}',
    operationId: 'read_saved_search_saved_searches__id__get',
    summary: 'Read a saved search',
    description: 'One saved search by id. 404 when there is none.',
    tags,
    permission: 'saved_searches:read',
    parameters: { id: 'uuid' },
    responses: { 200: SavedSearch },
    async handler({ context, path }) {
      return ok((await findSavedSearch(context.db, path.id)) ?? missing());
    },
  }),
  route({
    method: 'DELETE',
    path: '/saved_searches/{id}',
    operationId: 'delete_saved_search_saved_searches__id__delete',
    summary: 'Delete a saved search',
    description: 'Deletes one saved search. 404 when there is none.',
    tags,
    permission: 'saved_searches:write',
    parameters: { id: 'uuid' },
    responses: { 204: null },
    async handler({ context, path }) {
      await deleteSavedSearch(context, path.id);
      return noContent;
    },
  }),
  route({
    method: 'POST',
    path: '/saved_searches/filter',
    operationId: 'read_saved_searches_saved_searches_filter_post',
    summary: 'Page through saved searches',
    description: '`limit` saved searches from `offset`, by name.',
    tags,
    permission: 'saved_searches:read',
    body: savedSearchBodies.filter,
    responses: { 200: Type.Array(SavedSearch) },
    async handler({ context, body }) {
      const { offset, limit } = body;
      return ok(await listSavedSearches(context.answerDb, { offset, limit: pageLimit(context, limit) }));
    },
  }),
];

function missing(): never {
  throw missingSavedSearch();
}
