/** The address's form of the filters of the catalog. */
import { type SearchOf, text } from '../shell/search.ts';
import { isKind } from './queries.ts';

export const catalogSearch = {
  tab: text,
  name: text,
  kind: (value: unknown) => (isKind(value) ? value : undefined),
  /** The state of the listed requests; open ones when absent. */
  state: text,
};
export type CatalogSearch = SearchOf<typeof catalogSearch>;
