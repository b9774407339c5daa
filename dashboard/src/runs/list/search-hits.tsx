/** Other objects with the name or id of the search: a flow or deployment for filtering, or any object by id. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { read } from '../../api/read.ts';
import type { RunsSearch } from './run-fields.ts';

const FEWEST_LETTERS = 2;

interface Props {
  readonly text: string | undefined;
  readonly change: (part: RunsSearch) => void;
}

export function SearchHits({ text = '', change }: Props) {
  const wanted = useDeferredValue(text.trim());
  const { data: hits = [] } = useQuery(
    read.one(
      '/views/search',
      { params: { query: { q: wanted } } },
      { enabled: wanted.length >= FEWEST_LETTERS, placeholderData: keepPreviousData },
    ),
  );
  const shown = wanted.length < FEWEST_LETTERS ? [] : hits;
  const filters = shown.filter(({ type }) => type === 'flow' || type === 'deployment');
  const tasks = shown.filter(({ type }) => type === 'task_run');
  if (filters.length + tasks.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 px-6 pt-2 text-xs text-quiet max-sm:px-4">
      {filters.map(({ type, id, name }) => (
        <button
          key={id}
          type="button"
          className="hover:text-ink hover:underline"
          onClick={() => change({ [type]: name, name: undefined })}
        >
          Runs of the {type} <b className="font-medium text-ink">{name}</b>
        </button>
      ))}
      {tasks.map(({ id, name }) => (
        <Link key={id} to="/runs/task-run/$id" params={{ id }} className="hover:text-ink hover:underline">
          Open the task run <b className="font-medium text-ink">{name}</b>
        </Link>
      ))}
    </p>
  );
}
