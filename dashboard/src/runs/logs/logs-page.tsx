/** The logs of all runs: search by words, narrow by what belongs to a line, and open a line in the log of its run. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo } from 'react';
import { useMore } from '../../api/list.ts';
import { Problem } from '../../api/problem.ts';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/form/form-dialog.tsx';
import { FilterBar } from '../../components/list/filter-bar.tsx';
import { Narrowing } from '../../components/list/narrowing.tsx';
import { type Filters, useFilters } from '../../components/list/use-filters.ts';
import { PageHead } from '../../components/page.tsx';
import { Empty, Failed, Skeleton } from '../../components/states-of-loading.tsx';
import { Moment } from '../../components/text/moment.tsx';
import { readPast } from '../../design/span.ts';
import { type LogsSearch, logFields } from '../list/run-fields.ts';
import { FoundLines } from './found-lines.tsx';
import { foundLinesQuery, logValues, textOf } from './search-query.ts';
import { wantedIn } from './text-parts.ts';
import { WrapButton } from './wrapping.tsx';

const route = getRouteApi('/logs');
/** With fewer lines, the next page is read at once: a page ends early where few lines match. */
const ENOUGH_LINES = 50;

const levels = [
  ['', 'All levels'],
  ['info', 'Info and above'],
  ['warning', 'Warnings and errors'],
  ['error', 'Errors'],
] as const;
const matches = [
  ['', 'Words'],
  ['parts', 'Parts of words'],
] as const;

export function LogsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/logs' });
  const change = useCallback(
    (part: LogsSearch) => void navigate({ search: (old) => ({ ...old, ...part }), resetScroll: false }),
    [navigate],
  );
  const filters = useFilters(logFields, search, change);
  const { where, conditions } = filters;
  const match = search.match === 'parts' ? 'parts' : 'words';
  const asked = useMemo(
    () => ({ where, conditions, match, span: search.span }) as const,
    [where, conditions, match, search.span],
  );
  const query = useInfiniteQuery(foundLinesQuery(asked));
  const pages = query.data?.pages;
  const lines = useMemo(() => pages?.flatMap((page) => page.lines) ?? [], [pages]);
  const wanted = useMemo(() => wantedIn(textOf(conditions)), [conditions]);
  const onEnd = useMore(query);
  const isShort = lines.length < ENOUGH_LINES && !query.isError;
  useEffect(() => {
    if (isShort) onEnd();
  }, [isShort, onEnd]);
  const narrow = useCallback(
    (field: string, value: string, not: boolean) =>
      filters.add({ conditions: [{ field, ...(not ? { not } : {}), values: [value] }] }),
    [filters],
  );
  return (
    <Narrowing value={narrow}>
      <PageHead title="Logs" actions={<WrapButton />} />
      <FilterBar
        filters={filters}
        values={useMemo(() => logValues(asked), [asked])}
        noun="log lines"
        time={{
          span: search.span,
          onChange: (span) => change({ span }),
          times: (now) => readPast(search.span, now),
          whole: 'All time',
        }}
      />
      <div className="flex flex-wrap items-center gap-2 px-6 py-2 max-sm:px-4">
        <Choice
          label="Least level"
          className="w-auto"
          value={levels.some(([value]) => value === search.level) ? (search.level ?? '') : ''}
          choices={levels}
          onChange={(level) => change({ level: level === '' ? undefined : level })}
        />
        <Choice
          label="Text is found as"
          className="w-auto"
          value={match === 'parts' ? 'parts' : ''}
          choices={matches}
          onChange={(chosen) => change({ match: chosen === '' ? undefined : chosen })}
        />
        <Searched page={pages?.[0]} isOfParts={match === 'parts'} />
      </div>
      {query.isPending ? (
        <div className="px-6 max-sm:px-4">
          <Skeleton rows={16} />
        </div>
      ) : lines.length > 0 ? (
        <FoundLines lines={lines} wanted={wanted} onEnd={onEnd} />
      ) : query.isError ? (
        <NotSearched error={query.error} retry={() => void query.refetch()} change={change} />
      ) : query.hasNextPage ? (
        <p role="status" className="px-6 py-4 text-quiet max-sm:px-4">
          No match yet. Searched back to <Moment time={pages?.at(-1)?.next?.timestamp} absolute />.
        </p>
      ) : (
        <NoLines filters={filters} span={search.span} change={change} />
      )}
    </Narrowing>
  );
}

type Change = (part: LogsSearch) => void;

interface SearchedProps {
  readonly page: { readonly is_indexed: boolean; readonly indexed_since: string | null } | undefined;
  readonly isOfParts: boolean;
}

/** Says what a text finds. */
function Searched({ page, isOfParts }: SearchedProps) {
  return (
    <p className="text-xs text-quiet">
      {isOfParts
        ? 'Any part of a word, within a run, a flow or a day.'
        : page?.is_indexed === false
          ? 'This server keeps no index of words: a text is searched within a run, a flow or a day.'
          : 'Words and their beginnings, over all runs.'}
      {page?.indexed_since && !isOfParts ? (
        <>
          {' '}
          Older lines than <Moment time={page.indexed_since} absolute /> are being indexed.
        </>
      ) : null}
    </p>
  );
}

interface NotSearchedProps {
  readonly error: unknown;
  readonly retry: () => void;
  readonly change: Change;
}

function NotSearched({ error, retry, change }: NotSearchedProps) {
  const fault = error instanceof Problem ? error.fields.find(({ path }) => path.at(-1) === 'q') : undefined;
  if (!fault) return <Failed error={error} retry={retry} />;
  return (
    <Empty
      title="Choose a run, a flow or a day"
      action={
        <div className="flex gap-2">
          <Button onClick={() => change({ span: '24h' })}>Search the last day</Button>
          <Button onClick={() => change({ match: undefined })}>Search for words</Button>
        </div>
      }
    >
      {fault.message.replace(/\.\.$/, '.')}
    </Empty>
  );
}

interface NoLinesProps {
  readonly filters: Filters;
  readonly span: string | undefined;
  readonly change: Change;
}

function NoLines({ filters, span, change }: NoLinesProps) {
  if (!filters.isNarrowed) {
    return (
      <Empty
        title={span === undefined ? 'No log lines yet' : 'No log lines in this time'}
        action={
          span === undefined ? undefined : <Button onClick={() => change({ span: undefined })}>Show all time</Button>
        }
      >
        Runs send what they log with Prefect’s loggers: <code className="font-mono text-xs">get_run_logger()</code>, or{' '}
        <code className="font-mono text-xs">print</code> in a flow with{' '}
        <code className="font-mono text-xs">log_prints=True</code>.
      </Empty>
    );
  }
  return (
    <Empty
      title="No line matches these filters"
      action={
        <div className="flex gap-2">
          <Button onClick={filters.clear}>Remove the filters</Button>
          {span === undefined ? null : <Button onClick={() => change({ span: undefined })}>Search all time</Button>}
        </div>
      }
    >
      A text is found at the beginning of words. Its parts are found within a run, a flow or a day.
    </Empty>
  );
}
