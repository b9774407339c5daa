/** The address's form of the filters of the list of events. */
import { text } from '../shell/search.ts';

export interface EventsSearch {
  /** Prefixes of event names, separated by commas. */
  readonly event?: string | undefined;
  /** Prefix of the id of a resource in the event. */
  readonly resource?: string | undefined;
  /** Words that the event contains. */
  readonly q?: string | undefined;
  /** `1h`, `24h`, `7d`, or two times with a slash between them. */
  readonly span?: string | undefined;
}

export function readEventsSearch(search: Record<string, unknown>): EventsSearch {
  return {
    event: text(search['event']),
    resource: text(search['resource']),
    q: text(search['q']),
    span: text(search['span']),
  };
}
