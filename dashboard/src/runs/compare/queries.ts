/** Queries of the page that compares two runs. */
import { read } from '../../api/read.ts';
import type { components } from '../../api/schema.gen.ts';

export type RunComparison = components['schemas']['RunComparison'];
export type ComparedRun = components['schemas']['ComparedRun'];
export type ExcerptLog = components['schemas']['ExcerptLog'];

export const comparisonQuery = (a: string, b: string) =>
  read.one(
    '/views/flow_runs/{id}/comparison/{other_id}',
    { params: { path: { id: a, other_id: b } } },
    { watches: [a, b] },
  );

export const logExcerptQuery = (id: string) =>
  read.one('/views/flow_runs/{id}/log_excerpt', { params: { path: { id } } }, { watches: [id] });
