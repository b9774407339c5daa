/** Queries and changes of the pages of flows. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import type { components } from '../api/schema.gen.ts';
import type { FlowsSearch } from './routes.ts';

export type FlowRow = components['schemas']['FlowRow'];
type Position = components['schemas']['NamePosition'];

const PAGE_SIZE = 100;
const RUNS_SHOWN = 50;

export function flowsQuery({ name, tag }: FlowsSearch) {
  return infiniteQueryOptions({
    queryKey: ['flows', name, tag],
    meta: { watches: ['flow_run'] },
    initialPageParam: null as Position | null,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) =>
      answered(api.POST('/views/flows', { body: { name, tag, limit: PAGE_SIZE, after: pageParam }, signal })),
    getNextPageParam: ({ next }) => next,
  });
}

export function flowQuery(id: string) {
  return queryOptions({
    queryKey: ['flow', id],
    meta: { watches: ['flow_run'] },
    queryFn: ({ signal }) => answered(api.GET('/views/flows/{id}', { params: { path: { id } }, signal })),
  });
}

/** The latest runs of a flow, with scheduled ones last. */
export function runsOfFlowQuery(id: string) {
  return queryOptions({
    queryKey: ['runs-of-flow', id],
    meta: { watches: ['flow_run'] },
    queryFn: ({ signal }) =>
      answered(
        api.POST('/views/runs', {
          body: {
            flows: { id: { any_: [id] } },
            flow_runs: { start_time: { before_: new Date().toISOString() } },
            limit: RUNS_SHOWN,
          },
          signal,
        }),
      ),
  });
}

export async function deleteFlow(id: string): Promise<void> {
  await answered(api.DELETE('/flows/{id}', { params: { path: { id } } }));
}
