/** The address's form of the filters of the list of flows. */
import { type SearchOf, text } from '../shell/search.ts';

export const flowsSearch = { name: text, tag: text };
export type FlowsSearch = SearchOf<typeof flowsSearch>;
