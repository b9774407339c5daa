/** The address's form of the filters of the list of blocks. */
import { type SearchOf, text } from '../shell/search.ts';

export const blocksSearch = {
  /** A part of the name. */
  name: text,
  /** Slug of a type. */
  type: text,
};
export type BlocksSearch = SearchOf<typeof blocksSearch>;
