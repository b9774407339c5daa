/** The address's form of the filters of the list of variables. */
import { flag, type SearchOf, text } from '../shell/search.ts';

export const variablesSearch = {
  /** A part of the name. */
  name: text,
  tag: text,
  /** The dialog that makes one is open. */
  new: flag,
};
export type VariablesSearch = SearchOf<typeof variablesSearch>;
