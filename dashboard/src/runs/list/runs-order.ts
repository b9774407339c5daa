/** Converts the order of the list of runs between the address, the table and the server. */
import type { components } from '../../api/schema.gen.ts';
import type { Sorting } from '../../components/table/data-table.tsx';
import type { RunsSearch } from './run-fields.ts';

type RunSort = NonNullable<components['schemas']['Body_read_runs_view_views_runs_post']['sort']>;

/** Orders by the `sort` of the address; the first is the default. */
const orders: Readonly<Record<string, { readonly title: string; readonly sort: RunSort }>> = {
  '-start': { title: 'Newest first', sort: 'START_TIME_DESC' },
  start: { title: 'Oldest first', sort: 'START_TIME_ASC' },
  name: { title: 'Name, A to Z', sort: 'NAME_ASC' },
  '-name': { title: 'Name, Z to A', sort: 'NAME_DESC' },
  '-duration': { title: 'Longest first', sort: 'RUN_TIME_DESC' },
  duration: { title: 'Shortest first', sort: 'RUN_TIME_ASC' },
  state: { title: 'State, A to Z', sort: 'STATE_ASC' },
  '-state': { title: 'State, Z to A', sort: 'STATE_DESC' },
};
const DEFAULT = '-start';

/** The choices for a person: the value of the address and its words. */
export const orderChoices: readonly (readonly [string, string])[] = Object.entries(orders).map(([value, { title }]) => [
  value,
  title,
]);

export function orderOf({ sort = DEFAULT }: RunsSearch): string {
  return Object.hasOwn(orders, sort) ? sort : DEFAULT;
}

export function isByStart(search: RunsSearch): boolean {
  return sortingOf(search).by === 'start';
}

/** The `sort` of the route `/views/runs`. */
export function sortOf(search: RunsSearch): RunSort {
  return orders[orderOf(search)]?.sort ?? 'START_TIME_DESC';
}

/** The `sort` of the route `/views/task_runs`, which are ordered by their start alone. */
export function taskSortOf(search: RunsSearch): 'START_TIME_ASC' | 'START_TIME_DESC' {
  return sortOf(search) === 'START_TIME_ASC' ? 'START_TIME_ASC' : 'START_TIME_DESC';
}

export function sortingOf(search: RunsSearch): Sorting {
  const order = orderOf(search);
  return order.startsWith('-')
    ? { by: order.slice(1), direction: 'descending' }
    : { by: order, direction: 'ascending' };
}

/** The `sort` of the address. */
export function searchOf({ by, direction }: Sorting): string | undefined {
  const order = direction === 'descending' ? `-${by}` : by;
  return order === DEFAULT ? undefined : order;
}
