/** The filters of the list of runs. On a phone they are in a sheet behind a button. */
import { SlidersHorizontal, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { DEFAULT_SPAN, spans } from '../design/span.ts';
import { StateMark } from '../design/state-mark.tsx';
import { type StateKind, stateKinds, titleOf } from '../design/states.ts';
import { orderChoices, orderOf } from './runs-order.ts';
import type { RunsSearch } from './runs-search.ts';

const filters = ['state', 'flow', 'deployment', 'tag', 'name'] as const;

/** A search that shows all runs in its time span. */
export const cleared: RunsSearch = Object.fromEntries(filters.map((name) => [name, undefined]));

export function isFiltered(search: RunsSearch): boolean {
  return filters.some((name) => search[name] !== undefined);
}

interface Props {
  readonly search: RunsSearch;
  readonly change: (part: RunsSearch) => void;
}

export function RunFilters({ search, change }: Props) {
  const [isOpen, setOpen] = useState(false);
  const used = filters.filter((name) => name !== 'name' && search[name] !== undefined).length;
  return (
    <div className="flex flex-wrap items-center gap-2 px-6 max-sm:flex-nowrap max-sm:px-4">
      <NameField search={search} change={change} />
      <div className="contents max-sm:hidden">
        <States search={search} change={change} />
        <Chosen search={search} change={change} />
        <div className="flex-1" />
        <Span search={search} change={change} />
      </div>
      <Button className="sm:hidden" onClick={() => setOpen(true)}>
        <SlidersHorizontal size={14} /> Filters{used > 0 ? ` · ${used}` : ''}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Filters"
        actions={
          <>
            <Button onClick={() => change(cleared)}>Remove all</Button>
            <Button kind="primary" onClick={() => setOpen(false)}>
              Show the runs
            </Button>
          </>
        }
      >
        <div className="flex flex-col items-start gap-3">
          <States search={search} change={change} named />
          <Chosen search={search} change={change} />
          <Span search={search} change={change} />
          <Order search={search} change={change} />
        </div>
      </Dialog>
    </div>
  );
}

function NameField({ search, change }: Props) {
  return (
    <input
      data-filter
      type="search"
      aria-label="Runs by name or id"
      placeholder="Name or id"
      className="field w-40 max-sm:w-auto max-sm:flex-1"
      value={search.name ?? ''}
      onChange={(event) => change({ name: event.target.value || undefined })}
    />
  );
}

function States({ search, change, named = false }: Props & { readonly named?: boolean }) {
  const states = new Set(search.state?.split(',') ?? []);
  const toggle = (kind: StateKind) => {
    const next = states.has(kind) ? [...states].filter((one) => one !== kind) : [...states, kind];
    change({ state: next.length > 0 ? next.join(',') : undefined });
  };
  return (
    <fieldset className="flex flex-wrap gap-1">
      <legend className="sr-only">States</legend>
      {stateKinds.map((kind) => (
        <button
          key={kind}
          type="button"
          title={titleOf(kind)}
          aria-pressed={states.has(kind)}
          onClick={() => toggle(kind)}
          className="inline-flex h-(--row-control) items-center gap-1.5 rounded-control border border-line px-1.5 text-xs text-soft hover:bg-hover aria-pressed:border-ink aria-pressed:bg-selected aria-pressed:text-ink"
        >
          <StateMark kind={kind} size={12} />
          <span className={named ? '' : 'max-xl:sr-only'}>{titleOf(kind)}</span>
        </button>
      ))}
    </fieldset>
  );
}

function Chosen({ search, change }: Props) {
  return (['flow', 'deployment', 'tag'] as const).map((name) =>
    search[name] ? (
      <button
        key={name}
        type="button"
        onClick={() => change({ [name]: undefined })}
        title="Remove this filter"
        className="inline-flex h-(--row-control) items-center gap-1 rounded-control bg-selected px-2 text-xs"
      >
        <span className="text-quiet">{name}</span> {search[name]} <X size={12} />
      </button>
    ) : null,
  );
}

function Span({ search, change }: Props) {
  const isOwn = search.span?.includes('/') ?? false;
  return (
    <select
      aria-label="Time"
      className="field w-auto pr-6"
      value={isOwn ? 'own' : (search.span ?? DEFAULT_SPAN)}
      onChange={(event) => change({ span: event.target.value })}
    >
      {isOwn ? <option value="own">Chosen time</option> : null}
      {spans.map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  );
}

/** Chooses the order when the table has no headings to click. */
function Order({ search, change }: Props) {
  return (
    <select
      aria-label="Order"
      className="field w-auto pr-6"
      value={orderOf(search)}
      onChange={(event) => change({ sort: event.target.value })}
    >
      {orderChoices.map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  );
}
