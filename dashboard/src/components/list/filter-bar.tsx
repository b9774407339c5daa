/** The filters and the time of a list, in one line. On a phone the filters are in a sheet. */
import { SlidersHorizontal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Span } from '../../design/span.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { FilterLine, type ValuesQuery } from './filter-line.tsx';
import { TimePicker } from './time-picker.tsx';
import type { Filters } from './use-filters.ts';

export interface Time {
  /** As the address holds it. */
  readonly span: string | undefined;
  readonly onChange: (span: string | undefined) => void;
  /** The times of the list as it is shown. */
  readonly times: (now: number) => Span;
  /** The words for the time of a list without a span, if that is all of it. */
  readonly whole?: string;
}

interface Props {
  readonly filters: Filters;
  readonly values: ValuesQuery;
  /** The listed objects: `runs`. */
  readonly noun: string;
  readonly time: Time;
  /** Further choices in the sheet of a phone. */
  readonly more?: ReactNode;
}

export function FilterBar({ filters, values, noun, time, more }: Props) {
  const [isOpen, setOpen] = useState(false);
  const used = filters.conditions.length;
  return (
    <div className="flex items-start gap-2 px-6 max-sm:px-4">
      <div className="flex min-w-0 flex-1 max-sm:hidden">
        <FilterLine filters={filters} noun={noun} values={values} />
      </div>
      <Button className="sm:hidden" onClick={() => setOpen(true)}>
        <SlidersHorizontal size={14} /> Filters{used > 0 ? ` · ${used}` : ''}
      </Button>
      <div className="flex-1 sm:hidden" />
      <TimePicker {...time} />
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Filters"
        actions={
          <>
            <Button onClick={filters.clear}>Remove all</Button>
            <Button kind="primary" onClick={() => setOpen(false)}>
              Show the {noun}
            </Button>
          </>
        }
      >
        <div className="flex min-h-72 flex-col gap-3">
          <div className="flex">
            <FilterLine filters={filters} noun={noun} values={values} />
          </div>
          {more}
        </div>
      </Dialog>
    </div>
  );
}
