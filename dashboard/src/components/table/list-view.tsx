/** A table with the rows of a query, or a placeholder while there are none. */
import type { ReactNode } from 'react';
import { Failed, Skeleton } from '../states-of-loading.tsx';

interface Props {
  readonly query: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly isEmpty: boolean;
  readonly empty: ReactNode;
  readonly children: ReactNode;
}

export function ListView({ query, isEmpty, empty, children }: Props) {
  if (query.isPending) {
    return (
      <div className="px-6 max-sm:px-4">
        <Skeleton rows={6} />
      </div>
    );
  }
  if (!isEmpty) return children;
  return query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : empty;
}
