/** The rows of a query as a table, or what stands in its place while there are none. */
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { List } from '../../api/list.ts';
import { Button } from '../button.tsx';
import { Empty, Unread } from '../states-of-loading.tsx';
import type { PageOf } from './columns.tsx';
import { type Column, DataTable } from './data-table.tsx';

interface Props<Row> {
  readonly label: string;
  readonly list: List<Row>;
  /** The rows that are shown; those of the list when absent. */
  readonly rows?: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** The id of a row; its field `id` when absent. */
  readonly idOf?: (row: Row) => string;
  /** The page that `Enter` opens. */
  readonly pageOf?: PageOf<Row>;
  readonly onOpen?: (row: Row) => void;
  /** Stands in place of a table without rows. */
  readonly empty: ReactNode;
  /** The filters, which may be the cause of an empty table. */
  readonly filtered?: Filtered;
  /** True if the table is in a part with a margin, which it then passes over. */
  readonly isInset?: boolean;
}

interface Filtered {
  /** For example, `No flow`. */
  readonly nothing: string;
  /** The filters by the names that `change` takes. Those that are not set are undefined or empty. */
  readonly by: Readonly<Record<string, unknown>>;
  readonly change: (none: Readonly<Record<string, undefined>>) => void;
}

export function ListTable<Row>({
  label,
  list: { query, rows: read, more },
  rows = read,
  columns,
  idOf = (row) => (row as { readonly id: string }).id,
  pageOf,
  onOpen,
  empty,
  filtered,
  isInset = false,
}: Props<Row>) {
  const navigate = useNavigate();
  const open = onOpen ?? (pageOf ? (row: Row) => void navigate(pageOf(row) as never) : undefined);
  const table =
    rows.length > 0 ? (
      <DataTable
        label={label}
        columns={columns}
        rows={rows}
        idOf={idOf}
        {...(open ? { onOpen: open } : {})}
        {...(more ? { onEnd: more } : {})}
      />
    ) : query.isPending || query.error ? (
      <div className={query.isPending ? 'px-6 max-sm:px-4' : ''}>
        <Unread of={query} rows={8} />
      </div>
    ) : filtered && Object.values(filtered.by).some(Boolean) ? (
      <NothingMatches {...filtered} />
    ) : (
      empty
    );
  return isInset ? <div className="-mx-6 max-sm:-mx-4">{table}</div> : table;
}

function NothingMatches({ nothing, by, change }: Filtered) {
  const clear = () => change(Object.fromEntries(Object.keys(by).map((name) => [name, undefined])));
  return (
    <Empty title={`${nothing} matches these filters`} action={<Button onClick={clear}>Remove the filters</Button>} />
  );
}
