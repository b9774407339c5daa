/** The conditions of a list, which are in the address of its page. */
import { useMemo } from 'react';
import { type Condition, type Field, type SentCondition, whereOf } from './fields.ts';
import { conditionsIn, gathered, type ParsedFilter, searchFor } from './language.ts';

/** A condition that holds unless somebody takes it away: "subflows are hidden". */
export interface Hiding {
  readonly field: string;
  readonly value: string;
  /** The words of the button that shows what is hidden: `Show subflows`. */
  readonly reveal: string;
  /** True if the address asks for something by name, which must not be hidden. */
  readonly isOff: (given: readonly Condition[]) => boolean;
}

export interface ListFields {
  readonly fields: readonly Field[];
  /** The field of words that are typed without one. */
  readonly text: string;
  readonly hiding?: Hiding;
}

type Search = Readonly<Record<string, unknown>>;

/** In an address, it takes the condition away that would hold otherwise. */
const ANY = 'any';

/** Reads the names of the fields from an address, each with `read`. */
export function readsOf<const Fields extends readonly Field[], Read>(
  fields: Fields,
  read: Read,
): Readonly<Record<Fields[number]['name'], Read>> {
  return Object.fromEntries(fields.map(({ name }) => [name, read])) as never;
}

/** The conditions that hold for an address. */
export function conditionsOf(search: Search, { fields, hiding }: ListFields): Condition[] {
  const given = conditionsIn(search, fields);
  if (!hiding) return given;
  const { field, value, isOff } = hiding;
  const isGiven = given.some((one) => one.field === field);
  if (!isGiven && !isOff(given)) return [{ field, values: [value] }, ...given];
  return given.filter((one) => one.field !== field || !one.values.includes(ANY));
}

/** The part of an address for which exactly these conditions hold. */
export function searchOf(conditions: readonly Condition[], { fields, hiding }: ListFields) {
  const search = searchFor(conditions, fields);
  if (!hiding) return search;
  const others = conditions.filter(({ field }) => field !== hiding.field);
  if (others.length === conditions.length) return { ...search, [hiding.field]: ANY };
  const isDefault = search[hiding.field] === hiding.value && !hiding.isOff(others);
  return isDefault ? { ...search, [hiding.field]: undefined } : search;
}

function isHidden({ field, not, values }: Condition, { hiding }: ListFields): boolean {
  return field === hiding?.field && !not && values.includes(hiding.value);
}

/** The conditions and the added ones. A value that is added leaves the condition that says the opposite. */
export function withAdded(
  conditions: readonly Condition[],
  added: readonly Condition[],
  { fields }: ListFields,
): Condition[] {
  const isSingle = (name: string) => fields.find((field) => field.name === name)?.kind === 'choice';
  const left = conditions.flatMap((one) => {
    const against = added.filter(({ field }) => field === one.field);
    if (against.length > 0 && isSingle(one.field)) return [];
    const opposite = new Set(against.filter(({ not }) => !not !== !one.not).flatMap(({ values }) => values));
    const values = one.values.filter((value) => !opposite.has(value));
    return values.length > 0 ? [{ ...one, values }] : [];
  });
  return gathered([...left, ...added]);
}

export interface Filters extends ListFields {
  readonly conditions: readonly Condition[];
  /** As the server takes them. */
  readonly where: SentCondition[];
  /** True if somebody narrowed the list. */
  readonly isNarrowed: boolean;
  /** True if something is hidden by itself. */
  readonly isHiding: boolean;
  /** The words for a value that is an id; undefined for others. */
  readonly label?: (field: string, value: string) => string | undefined;
  readonly set: (conditions: readonly Condition[]) => void;
  readonly add: (filter: Pick<ParsedFilter, 'conditions'> & Partial<ParsedFilter>) => void;
  /** Takes away what narrows the list; what is hidden by itself stays hidden. */
  readonly clear: () => void;
  /** Shows what is hidden by itself. */
  readonly reveal: () => void;
}

type Change = (part: Readonly<Record<string, string | undefined>>) => void;

export function useFilters(list: ListFields, search: Search, change: Change): Filters {
  return useMemo(() => {
    const conditions = conditionsOf(search, list);
    const hidden = conditions.filter((one) => isHidden(one, list));
    const set = (next: readonly Condition[], more: Readonly<Record<string, string>> = {}) =>
      change({ ...searchOf(next, list), ...more });
    return {
      ...list,
      conditions,
      where: whereOf(conditions, list.fields),
      isNarrowed: conditions.length > hidden.length,
      isHiding: hidden.length > 0,
      set,
      clear: () => set(hidden),
      reveal: () => set(conditions.filter((one) => !hidden.includes(one))),
      add: ({ conditions: added, text: words, span }) => {
        const isText = ({ field, not }: Condition) => field === list.text && !not;
        const left = words ? conditions.filter((one) => !isText(one)) : conditions;
        const named = words ? [...added, { field: list.text, values: [words] }] : added;
        set(withAdded(left, named, list), span ? { span } : {});
      },
    };
  }, [list, search, change]);
}
