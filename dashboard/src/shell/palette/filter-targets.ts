/** Lists narrowed by what is typed: `state:failed flow:etl -tag:prod since:2d`, and phrases such as `failed runs`. */
import { type Condition, fieldNamed } from '../../components/list/fields.ts';
import { addressed, parseFilter, searchFor } from '../../components/list/language.ts';
import type { ListFields } from '../../components/list/use-filters.ts';
import { kindOfWord, stateKinds, titleOf, titleOfWord } from '../../design/states.ts';
import type { Target } from './target.ts';

/** A list of a page, which the typed text may narrow. */
export interface FilteredList {
  readonly path: string;
  /** `Runs`. */
  readonly title: string;
  readonly fields: ListFields;
}

/** Words between filters that ask nothing. */
const NOISE = /^(flow|task)?-?(runs?|flows?)$/i;

/** The lists that the text asks for: the first that has its fields, once for each state whose name is begun. */
export function filterTargets(text: string, lists: readonly FilteredList[]): readonly Target[] {
  return lists.map((list) => targetsIn(list, text)).find((targets) => targets.length > 0) ?? [];
}

function targetsIn(list: FilteredList, text: string): readonly Target[] {
  const { fields } = list.fields;
  // A field without a value is not typed to its end yet.
  const {
    conditions: named,
    span,
    text: rest,
    problems,
  } = parseFilter(text.replaceAll(/(^|\s)-?\w+:(?=\s|$)/g, ' '), fields);
  // `failed` is a state before it is a field.
  const isField = (word: string) => fieldNamed(fields, word) && !kindOfWord(word);
  const words = rest.split(/\s+/).filter((word) => word !== '' && !NOISE.test(word) && !isField(word));
  const states = fieldNamed(fields, 'state') ? words.filter((word) => word.length > 2 && kindOfWord(word)) : [];
  if (problems.length > 0 || named.length + states.length === 0) return [];
  const others = words.filter((word) => !states.includes(word));
  // Without a field, `failed import` is a name.
  if (named.length === 0 && others.length > 0) return [];
  const spoken: Condition[] = states.length > 0 ? [{ field: 'state', values: states }] : [];
  const searched = others.length > 0 ? others.join(' ') : undefined;
  return meanings([...named, ...spoken]).map((conditions) => target(list, conditions, { searched, span }));
}

/** A state that is only begun means each that begins so. */
function meanings(conditions: readonly Condition[]): readonly (readonly Condition[])[] {
  const [begun, ...more] = conditions.filter(({ field, values }) => field === 'state' && !values.every(kindOfWord));
  if (!begun) return [conditions.map(inWords)];
  if (more.length > 0 || begun.values.length > 1) return [];
  const [word = ''] = begun.values;
  return stateKinds
    .filter((kind) => titleOf(kind).toLowerCase().startsWith(word.toLowerCase()))
    .map((kind) => conditions.map((one) => inWords(one === begun ? { ...one, values: [kind] } : one)));
}

function inWords(condition: Condition): Condition {
  if (condition.field !== 'state') return condition;
  const small = (value: string) => stateKinds.find((kind) => kind.toLowerCase() === value.toLowerCase())?.toLowerCase();
  return { ...condition, values: condition.values.map((value) => small(value) ?? value) };
}

interface Rest {
  readonly searched: string | undefined;
  readonly span: string | undefined;
}

function target({ path, title, fields: list }: FilteredList, conditions: readonly Condition[], rest: Rest): Target {
  const { searched, span } = rest;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(searchFor(conditions, list.fields))) {
    if (value !== undefined) search.set(name, value);
  }
  if (searched !== undefined) search.set(list.text, addressed(searched));
  if (span !== undefined) search.set('span', span);
  const parts = conditions.map(({ field, not, values }) => {
    const named = list.fields.find(({ name }) => name === field);
    const shown = named?.kind === 'state' ? values.map(titleOfWord) : values;
    return `${not ? 'without' : 'with'} ${(named?.title ?? field).toLowerCase()} ${shown.join(' or ')}`;
  });
  if (searched !== undefined) parts.push(`with ${searched} in their names`);
  if (span !== undefined) parts.push(`since ${span}`);
  const there = `${path}?${search}`;
  return { key: there, kind: 'Filter', name: `${title} ${parts.join(', ')}`, path: there, isNamed: true };
}
