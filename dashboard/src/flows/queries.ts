/** Queries and changes of the pages of flows. */
import { keepPreviousData } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import { PAGE_SIZE, read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';
import type { FlowsSearch } from './flows-search.ts';

export type FlowRow = components['schemas']['FlowRow'];
type Position = components['schemas']['NamePosition'];

const RUNS_SHOWN = 50;

export const flowsQuery = ({ name, tag }: FlowsSearch) =>
  read.pages('/views/flows', (after: Position | null) => ({ body: { name, tag, limit: PAGE_SIZE, after } }), {
    watches: ['flow_run'],
    initialPageParam: null,
    placeholderData: keepPreviousData,
    getNextPageParam: ({ next }) => next,
  });

export const flowQuery = (id: string) =>
  read.one('/views/flows/{id}', { params: { path: { id } } }, { watches: ['flow_run'] });

/** The latest runs of a flow, with scheduled ones last. */
export const runsOfFlowQuery = (id: string) =>
  read.timed(
    '/views/runs',
    id,
    (now) => ({
      body: {
        flows: { id: { any_: [id] } },
        flow_runs: { start_time: { before_: new Date(now).toISOString() } },
        limit: RUNS_SHOWN,
      },
    }),
    { watches: ['flow_run'] },
  );

export const deleteFlow = (id: string) => answered(api.DELETE('/flows/{id}', { params: { path: { id } } }));
