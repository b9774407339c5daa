/** Queries and changes of the page of variables. */
import { type InfiniteData, infiniteQueryOptions, keepPreviousData, type QueryKey } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import { readExactly } from '../api/exact-json.ts';
import { bodyOf, type VariableForm } from './variable-form.ts';
import type { VariablesSearch } from './variables-search.ts';

const PAGE_SIZE = 200;

/** A variable for a list and for editing: the value is for `JSON.stringify` only. */
export interface Variable {
  readonly id: string;
  readonly name: string;
  readonly value: unknown;
  readonly tags: readonly string[];
  readonly updated: string;
}

export function variablesQuery({ name, tag }: VariablesSearch) {
  return infiniteQueryOptions<Variable[], Error, InfiniteData<Variable[], number>, QueryKey, number>({
    queryKey: ['/variables/filter', name, tag],
    meta: { watches: ['variable'] },
    initialPageParam: 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }) => {
      const variables = {
        ...(name ? { name: { like_: name } } : {}),
        ...(tag ? { tags: { all_: [tag] } } : {}),
      };
      const text = await answered<unknown>(
        api.POST('/variables/filter', {
          signal,
          parseAs: 'text',
          body: { variables, offset: pageParam, limit: PAGE_SIZE, sort: 'NAME_ASC' },
        }),
      );
      return readExactly(text as string) as Variable[];
    },
    getNextPageParam: (last, pages) => (last.length < PAGE_SIZE ? null : pages.length * PAGE_SIZE),
  });
}

export const createVariable = (form: VariableForm) =>
  answered(api.POST('/variables/', { body: { name: form.name, value: null }, bodySerializer: () => bodyOf(form) }));

export const updateVariable = (id: string, form: VariableForm) =>
  answered(api.PATCH('/variables/{id}', { params: { path: { id } }, body: {}, bodySerializer: () => bodyOf(form) }));

export const deleteVariable = (id: string) => answered(api.DELETE('/variables/{id}', { params: { path: { id } } }));
