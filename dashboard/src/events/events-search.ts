/** The address's form of the filters of the list of events. */
import { type SearchOf, text } from '../shell/search.ts';

export const eventsSearch = {
  /** Prefixes of event names, separated by commas. */
  event: text,
  /** Prefix of the id of a resource in the event. */
  resource: text,
  /** Words that the event contains. */
  q: text,
  /** `1h`, `24h`, `7d`, or two times with a slash between them. */
  span: text,
};
export type EventsSearch = SearchOf<typeof eventsSearch>;
