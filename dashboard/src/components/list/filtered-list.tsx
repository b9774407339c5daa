/**
 * A list that can be narrowed: filters and time, its number over time, the count, and the table or the reason why there
 * is none. Each page declares its fields, its columns and its question.
 */
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useMore } from '../../api/list.ts';
import { Button } from '../button.tsx';
import { Histogram, type Interval, type Series } from '../chart/histogram.tsx';
import { Empty, Failed, Skeleton } from '../states-of-loading.tsx';
import { type Column, DataTable, type Sorting } from '../table/data-table.tsx';
import { Moment } from '../text/moment.tsx';
import { FilterBar, type Time } from './filter-bar.tsx';
import type { ValuesQuery } from './filter-line.tsx';
import { useShownColumns } from './list-actions.tsx';
import { Narrowing } from './narrowing.tsx';
import type { Filters } from './use-filters.ts';

/** The rows on which an action works: those with these ids, or all that match the filters. */
export interface Selection {
  readonly ids: readonly string[];
  /** True if all loaded rows are selected. */
  readonly isWholePage: boolean;
  /** Number of rows that match the filters; undefined while they are being counted. */
  readonly matchingCount: number | undefined;
  readonly clear: () => void;
}

interface Question {
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly error: unknown;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly refetch: () => unknown;
  fetchNextPage(): Promise<unknown>;
}

interface Props<Row> {
  /** The name by which its columns are remembered, and the label of the table. */
  readonly name: string;
  readonly label: string;
  /** The words for a row and for rows: `run` and `runs`. */
  readonly nouns: readonly [one: string, many: string];
  readonly filters: Filters;
  readonly values: ValuesQuery;
  readonly time: Time;
  readonly query: Question;
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  readonly onOpen: (row: Row) => void;
  /** The number over time. No chart without it. */
  readonly intervals?: readonly Interval[];
  readonly series?: readonly Series[];
  readonly count?: number | undefined;
  /** Rows before this time are not counted. */
  readonly since?: string | null | undefined;
  readonly sorting?: Sorting | undefined;
  readonly onSort?: (sorting: Sorting) => void;
  /** The actions on selected rows. Rows cannot be selected without it. */
  readonly bulk?: ((selection: Selection) => ReactNode) | undefined;
  /** True if new rows wait while the pointer is on the table, so that no row moves away from under it. */
  readonly isHeld?: boolean;
  /** The time to which the search for a first match has come. */
  readonly searchedTo?: string | undefined;
  /** Further choices in the sheet of a phone. */
  readonly more?: ReactNode;
  /** Between the count and the table. */
  readonly children?: ReactNode;
  /** Shown when there are no rows and no filters. */
  readonly empty: ReactNode;
}

/** With fewer rows, the next page is read at once: a page ends early where few rows match. */
const ENOUGH_ROWS = 50;
const CHART_HEIGHT = 48;

export function FilteredList<Row>(props: Props<Row>) {
  const { label, nouns, filters, values, time, query, intervals, series, more, children } = props;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const held = useHeldRows(props);
  const { rows } = held;
  const onEnd = useMore(query);
  const isShort = rows.length < ENOUGH_ROWS && !query.isError;
  useEffect(() => {
    if (isShort) onEnd();
  }, [isShort, onEnd]);
  const narrow = useMemo(
    () => (field: string, value: string, not: boolean) =>
      filters.add({ conditions: [{ field, ...(not ? { not } : {}), values: [value] }] }),
    [filters],
  );
  const ids = useMemo(() => [...selected], [selected]);
  const selection = {
    ids,
    isWholePage: ids.length >= rows.length,
    matchingCount: props.count,
    clear: () => setSelected(new Set()),
  };
  return (
    <Narrowing value={narrow}>
      <FilterBar filters={filters} values={values} noun={nouns[1]} time={time} more={more} />
      {intervals ? (
        <div className="px-6 pt-2 max-sm:px-4">
          <Histogram
            intervals={intervals}
            height={CHART_HEIGHT}
            {...(series ? { series } : {})}
            subject={label}
            onBrush={(start, end) => time.onChange(`${start}/${end}`)}
          />
        </div>
      ) : null}
      {props.bulk && ids.length > 0 ? props.bulk(selection) : <CountLine {...props} waiting={held.waiting} />}
      {children}
      {query.isPending ? (
        <div className="px-6 max-sm:px-4">
          <Skeleton rows={16} />
        </div>
      ) : rows.length > 0 ? (
        <div key="rows" {...held.hold}>
          <Rows {...props} rows={rows} selected={selected} onSelect={setSelected} onEnd={onEnd} />
        </div>
      ) : query.isError ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : query.hasNextPage ? (
        <p role="status" className="px-6 py-4 text-quiet max-sm:px-4">
          No match yet. {props.searchedTo ? <SearchedTo time={props.searchedTo} /> : 'Still searching.'}
        </p>
      ) : (
        <Nothing {...props} />
      )}
    </Narrowing>
  );
}

interface RowsProps<Row> extends Props<Row> {
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly onEnd: () => void;
}

function Rows<Row>({ name, label, columns, rows, idOf, onOpen, sorting, onSort, bulk, ...rest }: RowsProps<Row>) {
  const shown = useShownColumns(name);
  return (
    <DataTable
      name={name}
      label={label}
      columns={columns}
      shown={shown}
      rows={rows}
      idOf={idOf}
      onOpen={onOpen}
      onEnd={rest.onEnd}
      {...(sorting ? { sorting } : {})}
      {...(onSort ? { onSort } : {})}
      {...(bulk ? { selected: rest.selected, onSelect: rest.onSelect } : {})}
    />
  );
}

function SearchedTo({ time }: { readonly time: string }) {
  return (
    <>
      Searched back to <Moment time={time} absolute />.
    </>
  );
}

function CountLine<Row>({ nouns, count, since, waiting }: Props<Row> & { readonly waiting: number }) {
  return (
    <p role="status" className="tabular flex h-7 items-center px-6 text-xs text-quiet max-sm:px-4">
      {count === undefined ? ' ' : `${count.toLocaleString('en')} ${count === 1 ? nouns[0] : nouns[1]}`}
      {since ? (
        <>
          &nbsp;since <Moment time={since} absolute />, older ones not counted
        </>
      ) : null}
      {waiting > 0 ? `, ${waiting} new: move the pointer off the table to show them` : null}
    </p>
  );
}

function Nothing<Row>({ filters, nouns, empty }: Props<Row>) {
  const { isNarrowed, isHiding, hiding } = filters;
  const reveal = isHiding ? <Button onClick={filters.reveal}>{hiding?.reveal}</Button> : null;
  if (!isNarrowed) {
    return (
      <>
        {empty}
        {reveal ? <div className="mx-auto -mt-8 max-w-140 px-6 pb-12">{reveal}</div> : null}
      </>
    );
  }
  return (
    <Empty
      title={`No ${nouns[0]} matches these filters`}
      action={
        <div className="flex gap-2">
          <Button onClick={filters.clear}>Remove the filters</Button>
          {reveal}
        </div>
      }
    >
      There may be {nouns[1]} in another span of time.
    </Empty>
  );
}

/** Rows that arrive while the pointer is on the table wait. */
function useHeldRows<Row>({ rows: all, idOf, isHeld = false }: Props<Row>) {
  const [anchor, setAnchor] = useState<string>();
  const waiting =
    anchor === undefined
      ? 0
      : Math.max(
          0,
          all.findIndex((row) => idOf(row) === anchor),
        );
  const rows = useMemo(() => (waiting > 0 ? all.slice(waiting) : all), [all, waiting]);
  const [first] = rows;
  const hold = isHeld
    ? {
        onPointerEnter: () => setAnchor(first === undefined ? undefined : idOf(first)),
        onPointerLeave: () => setAnchor(undefined),
      }
    : {};
  return { rows, waiting, hold };
}
