/** A condition of a list. Its sign turns it round, its values open it, and the cross takes it away. */
import { X } from 'lucide-react';
import { titleOfWord } from '../../design/states.ts';
import { type Condition, type Field, problemOf } from './fields.ts';
import type { Filters } from './use-filters.ts';

interface Props {
  readonly condition: Condition;
  readonly filters: Filters;
  readonly edit: () => void;
}

const PART_CLASS = 'h-6 rounded-control px-1 hover:bg-hover';

export function Chip({ condition, filters, edit }: Props) {
  const { field: name, not = false, values } = condition;
  const field = filters.fields.find((one) => one.name === name);
  if (!field) return null;
  const words = values.map((value) => valueWords(field, value, filters)).join(' or ');
  const problems = values.flatMap((value) => problemOf(field, value) ?? []);
  const others = filters.conditions.filter((one) => one !== condition);
  const turn = () => filters.add({ conditions: [{ field: name, not: !not, values }] });
  return (
    <span
      className={`inline-flex h-6 max-w-full items-center rounded-control bg-selected pl-1.5 text-xs ${problems.length > 0 ? 'text-failed-text' : ''}`}
      title={problems[0]}
    >
      <span className={problems.length > 0 ? '' : 'text-soft'}>{field.title}</span>
      {field.kind === 'choice' ? (
        <span className="w-1" />
      ) : (
        <button type="button" className={`${PART_CLASS} text-soft`} title="Turn round" onClick={turn}>
          {not ? 'is not' : 'is'}
        </button>
      )}
      <button type="button" className={`${PART_CLASS} max-w-60 truncate font-medium`} title={words} onClick={edit}>
        {words}
      </button>
      <button
        type="button"
        aria-label={`Remove the filter ${field.title} ${not ? 'is not' : 'is'} ${words}`}
        title="Remove this filter"
        className={`${PART_CLASS} text-soft`}
        onClick={() => filters.set(others)}
      >
        <X size={12} />
      </button>
    </span>
  );
}

function valueWords(field: Field, value: string, filters: Filters): string {
  if (field.kind === 'state') return titleOfWord(value);
  const title = field.choices?.find(([one]) => one === value.toLowerCase())?.[1];
  return title ?? filters.label?.(field.name, value) ?? value;
}
