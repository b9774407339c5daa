import { useQuery } from '@tanstack/react-query';
import { type BulkWork, bulkWorkQuery } from './work.ts';

/** The runs that are dealt with, as figures and as a bar. A screen reader reads it on demand, not at each step. */
export function Progress({ work: { total, done, skipped, failed } }: { readonly work: BulkWork }) {
  const over = done + skipped + failed;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <progress aria-label="Progress" className="h-1.5 w-20 accent-running" max={Math.max(1, total)} value={over} />
      <span aria-hidden="true" className="tabular text-xs whitespace-nowrap text-soft">
        {over.toLocaleString('en')} of {total.toLocaleString('en')}
      </span>
    </span>
  );
}

/** The progress of a work that is followed elsewhere. */
export function FollowedProgress({ work }: { readonly work: BulkWork }) {
  const { data = work } = useQuery({
    ...bulkWorkQuery(work.id),
    initialData: work,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <Progress work={data} />;
}
