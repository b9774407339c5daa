/** Placeholders for content that is loading, does not exist, or could not be read. */
import type { ComponentType, ReactNode } from 'react';
import { createContext, useContext, useEffect, useState } from 'react';
import { Problem } from '../api/problem.ts';
import { Button } from './button.tsx';

const SKELETON_DELAY_MILLISECONDS = 200;
/** Widths of the lines in percent. */
const WIDTHS = [90, 73, 56, 84, 67, 50, 78, 61, 89, 72, 55, 83, 66, 49, 77, 60];

/** Grey lines with the height of the rows that follow. They appear late, so that a quick answer shows none. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }) {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), SKELETON_DELAY_MILLISECONDS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label="Loading" data-loading className={isShown ? '' : 'opacity-0'}>
      {WIDTHS.slice(0, rows).map((width) => (
        <div key={width} className="flex h-(--row) items-center">
          <div className="h-2.5 rounded-bar bg-selected" style={{ width: `${width}%` }} />
        </div>
      ))}
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className="mx-auto flex max-w-140 flex-col items-start gap-2 px-6 py-12">
      <p className="text-lg font-semibold">{title}</p>
      {children ? <div className="max-w-full text-soft">{children}</div> : null}
      {action ? <div className="mt-2">{action}</div> : null}
    </div>
  );
}

const titles: Readonly<Record<number, string>> = {
  0: 'The server cannot be reached',
  401: 'Sign in to see this',
  403: 'You may not see this',
  404: 'There is nothing here',
};

/** Replaces a panel that could not be read. Its button tries again. */
export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const status = error instanceof Problem ? error.status : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div role="alert" className="flex flex-col items-start gap-2 px-6 py-8">
      <p className="text-lg font-semibold">{(status !== undefined && titles[status]) || 'This could not be read'}</p>
      <p className="max-w-160 text-soft">{message}</p>
      {retry && status !== 403 && status !== 404 ? <Button onClick={retry}>Try again</Button> : null}
    </div>
  );
}

export interface Reading {
  readonly isPending: boolean;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/**
 * True until a read that a page can do without has ended once. A later try after a failure does not count, so it does not
 * take a form away from under its user.
 */
export function isFirstRead(query: { readonly isLoading: boolean; readonly isFetched: boolean }): boolean {
  return query.isLoading && !query.isFetched;
}

interface UnreadProps {
  readonly of: Reading;
  /** Number of lines of the placeholder. */
  readonly rows: number;
  /** True if it fills the page. */
  readonly isPage?: boolean;
}

interface FailedProps {
  readonly error: unknown;
  readonly retry: () => void;
}

/** Replaces a page that could not be read. The shell gives one that leads to the list of the object and to the search. */
export const PageFailure = createContext<ComponentType<FailedProps>>(Failed);

/** Replaces the answer of a query until there is one. */
export function Unread({ of: { isPending, error, refetch }, rows, isPage = false }: UnreadProps) {
  const Page = useContext(PageFailure);
  const Failure = isPage ? Page : Failed;
  if (!isPending) return <Failure error={error} retry={() => void refetch()} />;
  const lines = <Skeleton rows={rows} />;
  return isPage ? <div className="px-6 pt-6">{lines}</div> : lines;
}
