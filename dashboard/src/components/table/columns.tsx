/** Makers of the columns that most tables have. */
import { Link, type LinkProps } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../button.tsx';
import { Moment } from '../text/moment.tsx';
import type { Column } from './data-row.tsx';

type More<Row> = Partial<Omit<Column<Row>, 'id' | 'title' | 'cell'>>;
type Text = string | null | undefined;
/** The page of a row. */
export type PageOf<Row> = (row: Row) => LinkProps;

/** The name of the object, which leads to its page. */
export function nameColumn<Row>(title: string, name: (row: Row) => Text, pageOf: PageOf<Row>, more: More<Row> = {}) {
  const cell = (row: Row) => (
    <Link {...pageOf(row)} className="font-medium hover:underline">
      {name(row)}
    </Link>
  );
  return { id: 'name', title, width: 'minmax(9rem, 1.4fr)', line: 1, cell, ...more } satisfies Column<Row>;
}

interface MoreOfText<Row> extends More<Row> {
  /** True for values that programs read. */
  readonly isMono?: boolean;
}

/** A quieter text. The shell shows it whole on hover where it is cut. */
export function textColumn<Row>(
  id: string,
  title: string,
  text: (row: Row) => Text,
  { isMono = false, ...more }: MoreOfText<Row> = {},
) {
  const cell = (row: Row) => <span className={isMono ? 'font-mono text-xs text-soft' : 'text-soft'}>{text(row)}</span>;
  return { id, title, width: 'minmax(8rem, 1fr)', cell, ...more } satisfies Column<Row>;
}

/** A quieter link to another object. Nothing is shown for a row without a text. */
export function linkColumn<Row>(
  id: string,
  title: string,
  text: (row: Row) => Text,
  pageOf: PageOf<Row>,
  more: More<Row> = {},
) {
  const cell = (row: Row) =>
    text(row) ? (
      <Link {...pageOf(row)} className="text-soft hover:underline">
        {text(row)}
      </Link>
    ) : null;
  return { id, title, width: 'minmax(8rem, 1fr)', cell, ...more } satisfies Column<Row>;
}

interface MoreOfMoment<Row> extends More<Row> {
  /** The word for a row without a time. */
  readonly none?: string;
}

export function momentColumn<Row>(
  id: string,
  title: string,
  time: (row: Row) => Text,
  { none, ...more }: MoreOfMoment<Row> = {},
) {
  const cell = (row: Row) =>
    none !== undefined && !time(row) ? <span className="text-quiet">{none}</span> : <Moment time={time(row)} />;
  return { id, title, width: '6rem', cell, ...more } satisfies Column<Row>;
}

/** Figures stand at the right. */
export function numberColumn<Row>(id: string, title: string, number: (row: Row) => ReactNode, more: More<Row> = {}) {
  const cell = (row: Row) => {
    const value = number(row);
    return typeof value === 'number' ? value.toLocaleString('en') : value;
  };
  return { id, title, width: '5rem', align: 'right', cell, ...more } satisfies Column<Row>;
}

/** The actions on the row, at its end. */
export function actionsColumn<Row>(
  width: string,
  actions: (row: Row) => ReactNode,
  more: More<Row> & { readonly title?: string } = {},
) {
  const cell = (row: Row) => <span className="inline-flex">{actions(row)}</span>;
  return { id: 'actions', title: 'Actions', width, align: 'right', line: 1, cell, ...more } satisfies Column<Row>;
}

export interface Changes<Row> {
  readonly edit: (row: Row) => void;
  readonly remove: (row: Row) => void;
}

interface EditAndDeleteProps<Row> extends Changes<Row> {
  readonly name: string;
  readonly row: Row;
}

export function EditAndDelete<Row>({ name, row, edit, remove }: EditAndDeleteProps<Row>) {
  return (
    <>
      <IconButton label={`Edit ${name}`} onClick={() => edit(row)}>
        <Pencil size={13} />
      </IconButton>
      <IconButton label={`Delete ${name}`} onClick={() => remove(row)}>
        <Trash2 size={13} />
      </IconButton>
    </>
  );
}

/** The people who own the object, by their names. */
export const ownersColumn = (width: string, from: number) => ({
  id: 'owner',
  title: 'Owner',
  width,
  from,
  cell: ({ owners }: { readonly owners: readonly string[] }) => (
    <span title={owners.join(', ')}>{owners.join(', ') || '–'}</span>
  ),
});
