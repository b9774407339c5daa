/** The server's form of the filter of the list of events. */
import type { components } from '../api/schema.gen.ts';
import type { Span } from '../design/span.ts';
import type { EventsSearch } from './events-search.ts';

export type EventFilter = components['schemas']['EventFilter'];

export function filterOf({ event, resource, q }: EventsSearch, { start, end }: Span): EventFilter {
  const names = (event ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return {
    occurred: { since: start, until: end },
    order: 'DESC',
    ...(names.length > 0 ? { event: { prefix: names } } : {}),
    ...(resource ? { any_resource: { id_prefix: [resource] } } : {}),
    ...(q ? { text: { query: q } } : {}),
  };
}

const INTERVALS = 96;
/** Seconds of an interval of the histogram. */
const LENGTHS = [1, 5, 10, 30, 60, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

/** Seconds of an interval of the histogram of this span. */
export function intervalOf({ start, end }: Span): number {
  const seconds = (Date.parse(end) - Date.parse(start)) / 1000;
  return LENGTHS.find((one) => seconds / one <= INTERVALS) ?? Math.ceil(seconds / INTERVALS);
}
