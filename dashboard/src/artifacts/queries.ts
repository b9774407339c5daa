/** Queries of the pages of artifacts. Lists come without data, which may be large. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import type { components } from '../api/schema.gen.ts';

export type ArtifactRow = components['schemas']['ArtifactRow'];
export type Artifact = components['schemas']['Artifact'];

export interface ArtifactsOf {
  readonly key?: string;
  readonly flow_run_id?: string;
  readonly task_run_id?: string;
  readonly text?: string | undefined;
  readonly types?: readonly string[] | undefined;
}

const PAGE_SIZE = 100;

export function artifactsQuery({ types, ...of }: ArtifactsOf) {
  return infiniteQueryOptions({
    queryKey: ['artifacts', of, types],
    meta: { watches: [of.flow_run_id ?? of.task_run_id ?? 'event'] },
    placeholderData: keepPreviousData,
    initialPageParam: null as components['schemas']['ArtifactPosition'] | null,
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.POST('/views/artifacts', {
          signal,
          body: { ...of, ...(types ? { types: [...types] } : {}), limit: PAGE_SIZE, after: pageParam },
        }),
      ),
    getNextPageParam: ({ next }) => next,
  });
}

export function artifactQuery(id: string) {
  return queryOptions({
    queryKey: ['artifact', id],
    queryFn: ({ signal }) => answered(api.GET('/artifacts/{id}', { params: { path: { id } }, signal })),
  });
}

/** Throws Problem when the server refuses it. */
export async function deleteArtifact(id: string): Promise<void> {
  await answered(api.DELETE('/artifacts/{id}', { params: { path: { id } } }));
}
