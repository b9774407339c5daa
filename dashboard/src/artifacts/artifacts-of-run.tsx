/** The artifacts that a flow run or a task run has made. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Unread } from '../components/states-of-loading.tsx';
import { ArtifactTable } from './artifact-table.tsx';
import { artifactsQuery } from './queries.ts';

type Props = { readonly flow_run_id: string } | { readonly task_run_id: string };

export function ArtifactsOfRun(of: Props) {
  const query = useInfiniteQuery(artifactsQuery(of));
  const rows = useMemo(() => query.data?.pages.flatMap(({ artifacts }) => artifacts) ?? [], [query.data]);
  if (!query.data) return <Unread of={query} rows={4} />;
  if (rows.length === 0) return <p className="text-quiet">It has made no artifacts.</p>;
  return (
    <div className="-mx-6 max-sm:-mx-4">
      <ArtifactTable
        label="Artifacts"
        artifacts={rows}
        onEnd={() => {
          if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
        }}
      />
    </div>
  );
}
