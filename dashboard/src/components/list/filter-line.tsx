/**
 * Narrows a list: its conditions as chips, and a field that takes the typed language and offers fields and values. `f`
 * and `/` lead to it. On a phone it is in a sheet.
 */
import { Autocomplete } from '@base-ui/react/autocomplete';
import { keepPreviousData, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { ListFilter, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { StateMark } from '../../design/state-mark.tsx';
import { kindOfWord } from '../../design/states.ts';
import { Button } from '../button.tsx';
import { useKey } from '../use-key.ts';
import { Chip } from './chip.tsx';
import { type SentCondition, type SentField, whereOf } from './fields.ts';
import { parseFilter } from './language.ts';
import { type Option, optionsFor, type Suggestion, typingOf } from './options.ts';
import type { Filters } from './use-filters.ts';

export interface Suggestions {
  values: Suggestion[];
  /** Rows before this time were not counted. */
  counted_since: string | null;
}

/** Asks the server for the values of a field, counted among the rows that the other conditions leave. */
export type ValuesQuery = (asked: {
  readonly field: SentField;
  readonly text: string;
  readonly where: SentCondition[];
  readonly limit: number;
}) => UseQueryOptions<Suggestions, Error, Suggestions>;

interface Props {
  readonly filters: Filters;
  /** The listed objects: `runs`. */
  readonly noun: string;
  readonly values: ValuesQuery;
}

const MOST_SUGGESTIONS = 20;
const DEBOUNCE_MILLISECONDS = 120;

/** The library names the first option also while no option is shown. */
const NO_OPTION = { 'aria-activedescendant': undefined, 'aria-controls': undefined };

export function FilterLine({ filters, noun, values }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const highlighted = useRef<Option | undefined>(undefined);
  const { fields, conditions } = filters;
  const { data, isFetching } = useSuggestions(typed, isOpen, filters, values);
  const textField = fields.find(({ name }) => name === filters.text) ?? fields[0];
  const options = textField ? optionsFor(typed, { fields, textField, suggestions: data?.values }) : [];
  const isShown = isOpen && options.length > 0;
  useKey('f', () => input.current?.focus());

  const write = (text: string) => {
    setTyped(text);
    setOpen(true);
    input.current?.focus();
  };
  const take = (option: Option | undefined) => {
    if (option?.typed !== undefined) write(option.typed);
    else if (option?.filter) {
      filters.add(option.filter);
      setTyped('');
      // The next letter or arrow opens it again.
      setOpen(false);
    }
  };
  const press = (event: KeyboardEvent & { preventBaseUIHandler: () => void }) => {
    if (event.key === 'Backspace' && typed === '') filters.set(conditions.slice(0, -1));
    else if (event.key === 'Escape' && isOpen) {
      event.preventBaseUIHandler();
      // A sheet around it stays open.
      event.stopPropagation();
      setOpen(false);
    } else if (event.key === 'Escape') input.current?.blur();
    else if (event.key === 'ArrowDown' && !isOpen) setOpen(true);
    else if (event.key === 'Enter') {
      event.preventBaseUIHandler();
      event.preventDefault();
      if (isOpen) take(options.find(({ key }) => key === highlighted.current?.key) ?? options[0]);
      else setOpen(true);
    }
  };
  return (
    <search
      aria-label={`Filters of the ${noun}`}
      className="flex min-h-(--row-control) min-w-0 flex-1 flex-wrap items-center gap-1 rounded-control border border-line bg-surface py-px pr-1 pl-2 focus-within:border-accent"
      data-screen-only
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setOpen(false);
      }}
    >
      <ListFilter size={14} className="shrink-0 text-quiet" aria-hidden />
      {conditions.map((condition) => (
        <Chip
          key={`${condition.not ? '!' : ''}${condition.field}`}
          condition={condition}
          filters={filters}
          edit={() => write(`${condition.not ? '-' : ''}${condition.field}:`)}
        />
      ))}
      <div className="relative flex min-w-36 flex-1">
        {/* Its own popup would hide the page from screen readers, though the focus stays in the field. */}
        <Autocomplete.Root
          items={options}
          mode="none"
          inline
          open={isShown}
          value={typed}
          onValueChange={(text, { reason }) => {
            if (reason === 'item-press') return;
            setTyped(text);
            setOpen(true);
          }}
          autoHighlight="always"
          onItemHighlighted={(option) => {
            highlighted.current = option;
          }}
          itemToStringValue={({ title }: Option) => title}
        >
          <Autocomplete.Input
            ref={input}
            data-filter
            aria-label={`Filter ${noun}`}
            aria-expanded={isShown}
            {...(isShown ? {} : NO_OPTION)}
            placeholder={conditions.length > 0 ? '+ Filter' : 'Filter by field, value or words'}
            className="h-6 min-w-0 flex-1 bg-transparent px-1 outline-none placeholder:text-quiet"
            spellCheck={false}
            autoCapitalize="none"
            maxLength={2000}
            onFocus={() => setOpen(true)}
            onClick={() => setOpen(true)}
            onKeyDown={press}
          />
          {isShown ? (
            // biome-ignore lint/a11y/noStaticElementInteractions: a press on the list leaves the focus in the field.
            <div
              className="absolute top-full left-0 z-30 mt-1.5 w-80 max-w-[calc(100vw-4rem)] rounded-panel border border-line bg-surface shadow-raised max-sm:-left-24"
              onMouseDown={(event) => event.preventDefault()}
            >
              <Autocomplete.List className="max-h-80 overflow-y-auto p-1" aria-busy={isFetching || undefined}>
                {(option: Option) => <OptionRow key={option.key} option={option} take={take} />}
              </Autocomplete.List>
              <p className="border-t border-line px-3 py-1.5 text-2xs text-quiet">
                {data?.counted_since
                  ? `Counted since ${data.counted_since.slice(0, 16).replace('T', ' ')} UTC`
                  : 'state:failed  -tag:prod  tries:>1  since:2d'}
              </p>
            </div>
          ) : null}
        </Autocomplete.Root>
      </div>
      {filters.isNarrowed ? (
        <Button kind="quiet" className="h-6" onClick={filters.clear}>
          <X size={13} /> Remove the filters
        </Button>
      ) : null}
    </search>
  );
}

function OptionRow({ option, take }: { readonly option: Option; readonly take: (option: Option) => void }) {
  const { title, hint, count, state, isBelow, typed, filter } = option;
  const kind = state === undefined ? undefined : kindOfWord(state);
  return (
    <Autocomplete.Item
      value={option}
      disabled={typed === undefined && filter === undefined}
      onClick={() => take(option)}
      className={`flex min-h-7 items-center gap-2 rounded-control px-2 outline-none data-disabled:text-quiet data-highlighted:bg-hover max-sm:min-h-10 ${isBelow ? 'pl-7' : ''}`}
    >
      {kind && !isBelow ? <StateMark kind={kind} /> : null}
      <span className="min-w-0 truncate">{title}</span>
      {hint ? <span className="text-xs text-quiet">{hint}</span> : null}
      {count === undefined ? null : (
        <span className="tabular ml-auto pl-2 text-xs text-quiet">{count.toLocaleString('en')}</span>
      )}
    </Autocomplete.Item>
  );
}

/** The values of the field that is being typed. */
function useSuggestions(typed: string, isOpen: boolean, filters: Filters, values: ValuesQuery) {
  const typing = typingOf(typed, filters.fields);
  const text = useDebounced(typing.text);
  const earlier = parseFilter(typing.before, filters.fields).conditions;
  const field = typing.field && !typing.field.isOwn && typing.field.kind !== 'choice' ? typing.field.name : undefined;
  const others = [...filters.where, ...whereOf(earlier, filters.fields)];
  const query = useQuery({
    ...values({
      field: (field ?? '') as SentField,
      // States and comparisons are few and are all asked for.
      text: typing.field?.kind === 'text' ? text : '',
      where: others.filter((one) => one.field !== (field as SentField)),
      limit: MOST_SUGGESTIONS,
    }),
    enabled: isOpen && field !== undefined,
    placeholderData: keepPreviousData,
  });
  return field === undefined ? { data: undefined, isFetching: false } : query;
}

function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), text === '' ? 0 : DEBOUNCE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
