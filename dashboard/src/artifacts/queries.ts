/** Queries of the pages of artifacts. Lists come without data, which may be large. */
import { keepPreviousData } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import { PAGE_SIZE, read } from '../api/read.ts';
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

export const artifactsQuery = ({ types, ...of }: ArtifactsOf) =>
  read.pages(
    '/views/artifacts',
    (after: components['schemas']['ArtifactPosition'] | null) => ({
      body: { ...of, ...(types ? { types: [...types] } : {}), limit: PAGE_SIZE, after },
    }),
    {
      watches: [of.flow_run_id ?? of.task_run_id ?? 'event'],
      placeholderData: keepPreviousData,
      initialPageParam: null,
      getNextPageParam: ({ next }) => next,
    },
  );

export const artifactQuery = (id: string) => read.one('/artifacts/{id}', { params: { path: { id } } });

/** Throws Problem when the server refuses it. */
export const deleteArtifact = (id: string) => answered(api.DELETE('/artifacts/{id}', { params: { path: { id } } }));
