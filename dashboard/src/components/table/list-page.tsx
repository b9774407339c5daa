/** A page that is a list: its head, its filters and its table. */
import { X } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { Button } from '../button.tsx';
import { PageHead } from '../page.tsx';
import { ListTable } from './list-table.tsx';

interface Props<Row> extends Omit<ComponentProps<typeof ListTable<Row>>, 'label'> {
  readonly title: string;
  readonly label?: string;
  readonly trail?: ComponentProps<typeof PageHead>['trail'];
  readonly actions?: ReactNode;
  readonly filters?: ReactNode;
  /** Stands between the head and the table: a sentence, a problem. */
  readonly children?: ReactNode;
}

export function ListPage<Row>({ title, label = title, trail, actions, filters, children, ...table }: Props<Row>) {
  return (
    <>
      <PageHead title={title} trail={trail} actions={actions} />
      {filters ? <div className="flex flex-wrap items-center gap-2 px-6 pb-2 max-sm:px-4">{filters}</div> : null}
      {children}
      <ListTable label={label} {...table} />
    </>
  );
}

interface NameFilterProps {
  /** The objects that are filtered, for screen readers: `Flows`. */
  readonly of: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly what?: string;
  readonly className?: string;
}

/** Filters by a part of the name. `/` moves the focus to it. */
export function NameFilter({ of, value, onChange, what = 'name', className = 'w-56' }: NameFilterProps) {
  const words = `${what} contains`;
  return (
    <input
      data-filter
      type="search"
      aria-label={`${of} whose ${words}`}
      placeholder={`${words[0]?.toUpperCase()}${words.slice(1)}`}
      className={`field ${className}`}
      defaultValue={value}
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  );
}

interface SetFilterProps {
  readonly name: string;
  readonly value: string | undefined;
  readonly onRemove: () => void;
}

/** A filter that was set by a click in the table; nothing is shown when it is not set. */
export function SetFilter({ name, value, onRemove }: SetFilterProps) {
  return value === undefined ? null : (
    <Button kind="quiet" title="Remove this filter" onClick={onRemove}>
      <span className="text-quiet">{name}</span> {value} <X size={12} />
    </Button>
  );
}
