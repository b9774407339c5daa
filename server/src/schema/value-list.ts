/**
 * Lists and texts that a query searches for. Their cost grows with the list, so each has a limit; beyond it the answer
 * is a 422 that names the field. The SDK and the dashboard of the reference send at most some hundred values.
 */
import { type TSchema, Type } from './kinds.ts';

/** Values in one list. */
export const MAX_LIST_VALUES = 10_000;
/** Prefixes in one list. Each row is compared with each of them. */
export const MAX_PREFIXES = 100;
/** Searches in one list of an event filter. */
export const MAX_SEARCHES = 50;
/** Characters of one value, and of the text of `like_`: each row may be compared with all of them. */
export const MAX_VALUE_LENGTH = 2000;

/** One text to search for. */
export const SearchedText = Type.String({ maxLength: MAX_VALUE_LENGTH });

/** Values of which a row must have one, or all. */
export function ValueList<Item extends TSchema>(item: Item) {
  return Type.Array(item, { maxItems: MAX_LIST_VALUES });
}

/** Texts with which a value may begin. */
export const Prefixes = Type.Array(SearchedText, { maxItems: MAX_PREFIXES });
