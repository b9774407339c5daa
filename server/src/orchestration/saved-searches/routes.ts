import { found } from '../../errors.ts';
import { created, ok, type Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Type } from '../../schema/kinds.ts';
import { limit, offset } from '../filters/filter-schema.ts';
import { partOf } from '../filters/pagination.ts';
import { deleteSavedSearch, MISSING, saveSearch } from './operations.ts';
import { listSavedSearches, savedSearches } from './queries.ts';
import { SavedSearch, SavedSearchCreate, savedSearchBodies } from './schema.ts';

const { get, search, put, remove } = routesOf('SavedSearches', 'saved_searches');

export const savedSearchRoutes: readonly Route[] = [
  put('/saved_searches/', 'create_saved_search_saved_searches__put', {
    summary: 'Save a search',
    description:
      'Stores the filters of a search of the user interface under a name. A search of the same name is replaced.',
    body: SavedSearchCreate,
    responses: { 200: SavedSearch },
    async handler({ context, body }) {
      const { search, isNew } = await saveSearch(context, body);
      return isNew ? created(search) : ok(search);
    },
  }),
  get('/saved_searches/', 'list_saved_searches_saved_searches__get', {
    summary: 'List saved searches',
    description: 'One page of saved searches, by name.',
    query: Type.Object({ offset, limit }),
    answers: Type.Array(SavedSearch),
    handler: ({ context, query }) => listSavedSearches(context.answerDb, partOf(context, query)),
  }),
  get('/saved_searches/{id}', 'read_saved_search_saved_searches__id__get', {
    summary: 'Read a saved search',
    description: 'One saved search by id. 404 when there is none.',
    answers: SavedSearch,
    handler: async ({ context, path }) => found(await savedSearches.first(context.db, path), MISSING),
  }),
  remove('/saved_searches/{id}', 'delete_saved_search_saved_searches__id__delete', {
    summary: 'Delete a saved search',
    description: 'Deletes one saved search. 404 when there is none.',
    handler: ({ context, path }) => deleteSavedSearch(context, path.id),
  }),
  search('/saved_searches/filter', 'read_saved_searches_saved_searches_filter_post', {
    summary: 'Page through saved searches',
    description: '`limit` saved searches from `offset`, by name.',
    body: savedSearchBodies.filter,
    answers: Type.Array(SavedSearch),
    handler: ({ context, body }) => listSavedSearches(context.answerDb, partOf(context, body)),
  }),
];
