/** The latest artifact of each key. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMore } from '../api/list.ts';
import { Button } from '../components/button.tsx';
import { PageHead } from '../components/page.tsx';
import { Snippet } from '../components/snippet.tsx';
import { Empty, Failed, Skeleton } from '../components/states-of-loading.tsx';
import { ArtifactTable } from './artifact-table.tsx';
import { artifactsQuery } from './queries.ts';

const route = getRouteApi('/artifacts');

const types = ['markdown', 'table', 'progress', 'image', 'result'] as const;

export function ArtifactsPage() {
  const search = route.useSearch();
  const { q, type } = search;
  const navigate = useNavigate({ from: '/artifacts' });
  const query = useInfiniteQuery(artifactsQuery({ text: q, types: type ? [type] : undefined }));
  const rows = useMemo(() => query.data?.pages.flatMap(({ artifacts }) => artifacts) ?? [], [query.data]);
  const more = useMore(query);
  const change = (part: typeof search) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  return (
    <>
      <PageHead title="Artifacts" />
      <div className="flex flex-wrap items-center gap-2 px-6 pb-2 max-sm:px-4">
        <input
          data-filter
          type="search"
          aria-label="Artifacts whose key contains"
          placeholder="Key contains"
          className="field w-44"
          defaultValue={q}
          onChange={(event) => change({ q: event.target.value || undefined })}
        />
        <select
          aria-label="Type"
          className="field w-auto pr-6"
          value={type ?? ''}
          onChange={(event) => change({ type: event.target.value || undefined })}
        >
          <option value="">All types</option>
          {types.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </div>
      {query.isPending ? (
        <div className="px-6">
          <Skeleton rows={12} />
        </div>
      ) : query.isError && rows.length === 0 ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : rows.length === 0 ? (
        <NoArtifacts
          isFiltered={q !== undefined || type !== undefined}
          clear={() => change({ q: undefined, type: undefined })}
        />
      ) : (
        <ArtifactTable label="Artifacts" artifacts={rows} onEnd={more} />
      )}
    </>
  );
}

const EXAMPLE = `from prefect import flow
from prefect.artifacts import create_markdown_artifact

@flow
def report():
    create_markdown_artifact("# Sales\\n\\n**42** orders", key="sales")`;

function NoArtifacts({ isFiltered, clear }: { readonly isFiltered: boolean; readonly clear: () => void }) {
  if (isFiltered) {
    return (
      <Empty title="No artifact matches these filters" action={<Button onClick={clear}>Remove the filters</Button>} />
    );
  }
  return (
    <Empty title="No artifacts yet">
      <p className="mb-3">Flows keep what people should read: text, tables, links, images, progress.</p>
      <Snippet title="A flow that makes one" text={EXAMPLE} />
    </Empty>
  );
}
