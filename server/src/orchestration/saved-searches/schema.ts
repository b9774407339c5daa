import { Json, Parts, Shape, type Static, Type } from '../../schema/kinds.ts';
import { stamps } from '../filters/field-schema.ts';
import { limit, offset } from '../filters/filter-schema.ts';

/** One condition of a search in the dashboard's form; the server only stores it. */
export const SavedSearchFilter = Shape(
  'SavedSearchFilter',
  {
    object: Type.String(),
    property: Type.String(),
    type: Type.String(),
    operation: Type.String(),
    value: Json(),
  },
  'ignore',
);
export type SavedSearchFilter = Static<typeof SavedSearchFilter>;

const search = { name: Type.String(), filters: Type.Optional(Type.Array(SavedSearchFilter)) };

export const SavedSearch = Shape('SavedSearch', { ...stamps, ...search }, 'ignore');
export type SavedSearch = Static<typeof SavedSearch>;

export const SavedSearchCreate = Shape('SavedSearchCreate', search);
export type SavedSearchCreate = Static<typeof SavedSearchCreate>;

export const savedSearchBodies = {
  filter: Parts({ offset, limit }, 'Body_read_saved_searches_saved_searches_filter_post'),
};
