import type { Filters } from './filter.ts';
import { sequenceFilters } from './sequence-filters.ts';
import { textFilters } from './text-filters.ts';

const all = new Map([...textFilters, ...sequenceFilters]);

/** Jinja's own filters, without `pprint`, `random`, `urlize` and `xmlattr`. */
export const filters: Filters = all.set('d', all.get('default')!);
