/** Makes the offers of the filter line for a typed text: fields, then values of a field, the best match first. */
import { namesOf, stateKinds, titleOf, titleOfWord } from '../../design/states.ts';
import { type Condition, type Field, fieldNamed, problemOf } from './fields.ts';
import { gathered, type ParsedFilter, parseFilter } from './language.ts';

export interface Suggestion {
  value: string;
  label: string;
  count: number;
}

export interface Option {
  readonly key: string;
  readonly title: string;
  /** Quiet words after the title. */
  readonly hint?: string;
  readonly count?: number;
  /** The word of a state, whose mark is shown. */
  readonly state?: string;
  /** True for the name of a state below its type. */
  readonly isBelow?: boolean;
  /** A choice replaces the text of the line with this, or adds the filter. A message has neither. */
  readonly typed?: string;
  readonly filter?: ParsedFilter;
}

/** The part of the text that is being typed: a value of a field, or a word. */
export interface Typing {
  /** The text before it. */
  readonly before: string;
  readonly field?: Field;
  readonly not: boolean;
  /** The values of the field before this one. */
  readonly earlier: string;
  readonly text: string;
}

/** As in the language; an open quote reaches to the end. */
const PART = /(?:"(?:\\.|[^"\\])*"?|\S)+/g;
const NAMED = /^([-!]?)([a-z][\w-]*?)(?::|(?=[<>]))(.*)$/is;
const EARLIER = /^(?:(?:"(?:\\.|[^"\\])*"|[^",])*,)*/;
const EXAMPLES: Partial<Record<Field['kind'], readonly string[]>> = {
  number: ['>1', '>2', '1'],
  duration: ['>1m', '>10m', '>1h', '<10s'],
};
const TIMES: readonly (readonly [string, string])[] = [
  ['1h', 'the last hour'],
  ['24h', 'the last day'],
  ['7d', 'the last week'],
  ['30d', 'the last 30 days'],
];
const FEWEST_LETTERS_OF_STATE = 2;

export function typingOf(typed: string, fields: readonly Field[]): Typing {
  const part = [...typed.matchAll(PART)].at(-1);
  const last = part && part.index + part[0].length === typed.length ? part[0] : '';
  const before = typed.slice(0, typed.length - last.length);
  const [, minus = '', name = '', rest = ''] = NAMED.exec(last) ?? [];
  const field = fieldNamed(fields, name);
  if (!field) return { before, not: false, earlier: '', text: last };
  const earlier = EARLIER.exec(rest)?.[0] ?? '';
  const value = rest.slice(earlier.length);
  return {
    before,
    field,
    not: minus !== '' || value.startsWith('!'),
    earlier,
    text: value.replace(/^!/, '').replaceAll('"', ''),
  };
}

interface Offered {
  readonly fields: readonly Field[];
  /** The field that holds words without a field. */
  readonly textField: Field;
  /** The server's values for the field and the text that are being typed; undefined until they are read. */
  readonly suggestions: readonly Suggestion[] | undefined;
}

export function optionsFor(typed: string, offered: Offered): Option[] {
  const { fields } = offered;
  const typing = typingOf(typed, fields);
  if (typing.field) return valueOptions(typing, typing.field, offered);
  const [, , name] = NAMED.exec(typing.text) ?? [];
  const time = name?.toLowerCase();
  if (time === 'since' || time === 'until') return timeOptions(typed, typing, fields);
  if (name !== undefined) return unknownOptions(typed, typing, fields);
  return wordOptions(typed, typing, offered);
}

function wordOptions(typed: string, { before, text }: Typing, { fields, textField }: Offered): Option[] {
  const word = text.toLowerCase();
  const named = fields.filter(({ name, title, aliases = [] }) =>
    [name, title.toLowerCase(), ...aliases].some((one) => one.startsWith(word)),
  );
  const options = named.map(
    (field): Option => ({
      key: `field ${field.name}`,
      title: field.title,
      ...(field.example ? { hint: field.example } : {}),
      typed: `${before}${field.name}:`,
    }),
  );
  const time: Option = { key: 'field since', title: 'Time', hint: 'since:2d', typed: `${before}since:` };
  if ('since'.startsWith(word) || 'time'.startsWith(word)) options.push(time);
  if (word === '') return options;
  const states = fields.find(({ kind }) => kind === 'state');
  if (states && word.length >= FEWEST_LETTERS_OF_STATE) {
    const typing = { before, field: states, not: false, earlier: '', text };
    options.push(...stateOptions(typing, states, undefined, fields).filter(({ title }) => startsWith(title, word)));
  }
  const filter = parseFilter(typed, fields);
  options.push({ key: 'text', title: `${textField.title} contains “${filter.text}”`, filter });
  return options;
}

function startsWith(title: string, word: string): boolean {
  return title.toLowerCase().startsWith(word);
}

function unknownOptions(typed: string, { before, text }: Typing, fields: readonly Field[]): Option[] {
  const { problems } = parseFilter(typed, fields);
  return problems
    .filter(({ part }) => part === text)
    .flatMap(({ message, nearest }) => [
      ...(nearest === undefined
        ? []
        : [{ key: 'nearest', title: nearest, hint: 'probably meant', typed: `${before}${nearest}` }]),
      { key: 'problem', title: message },
    ]);
}

function timeOptions(typed: string, { before, text }: Typing, fields: readonly Field[]): Option[] {
  const name = text.slice(0, text.indexOf(':')).toLowerCase();
  const filter = parseFilter(typed, fields);
  const own = filter.problems.length === 0 ? [{ key: 'own', title: text, filter }] : [];
  const choices = name === 'since' ? TIMES : [];
  return [
    ...own,
    ...choices
      .filter(([value]) => `since:${value}`.startsWith(text.toLowerCase()) && `since:${value}` !== text)
      .map(([value, hint]) => ({
        key: value,
        title: `since:${value}`,
        hint,
        filter: parseFilter(`${before}since:${value}`, fields),
      })),
    ...(own.length === 0 && !/:$/.test(text)
      ? filter.problems.map(({ message }) => ({ key: 'problem', title: message }))
      : []),
  ];
}

/** The filter after this value of the field has been chosen. */
function chosen({ before, not, earlier }: Typing, field: Field, value: string, fields: readonly Field[]): ParsedFilter {
  const all = parseFilter(`${before}${earlier ? `${not ? '-' : ''}${field.name}:${earlier}` : ''}`, fields);
  const own: Condition = { field: field.name, ...(not ? { not } : {}), values: [value] };
  return { ...all, conditions: gathered([...all.conditions, own]) };
}

function valueOptions(typing: Typing, field: Field, { fields, suggestions }: Offered): Option[] {
  const { text, not } = typing;
  const problem = text === '' ? undefined : problemOf(field, text);
  const typedTitle = `${field.title} ${not ? 'is not' : 'is'} “${text}”`;
  const own: Option[] =
    text === ''
      ? []
      : [
          problem === undefined
            ? { key: 'own', title: typedTitle, filter: chosen(typing, field, text, fields) }
            : { key: 'problem', title: problem },
        ];
  if (field.kind === 'state') {
    const states = stateOptions(typing, field, suggestions, fields);
    return states.length > 0 ? states : own;
  }
  if (field.kind === 'choice') {
    return (field.choices ?? [])
      .filter(([value, title]) => startsWith(value, text.toLowerCase()) || startsWith(title, text.toLowerCase()))
      .map(([value, title]) => ({ key: value, title, filter: chosen(typing, field, value, fields) }));
  }
  // The suggestions may be those of the letters before the last one.
  const wanted = text.toLowerCase();
  const matches = ({ value, label }: Suggestion) =>
    field.kind !== 'text' || [value, label].some((one) => one.toLowerCase().includes(wanted));
  const listed = (suggestions ?? [])
    .filter((one) => one.value !== text && matches(one))
    .map(({ value, label, count }) => ({
      key: `value ${value}`,
      title: label,
      count,
      filter: chosen(typing, field, value, fields),
    }));
  const examples = (text === '' ? (EXAMPLES[field.kind] ?? []) : []).map((value) => ({
    key: `example ${value}`,
    title: value,
    filter: chosen(typing, field, value, fields),
  }));
  // A field whose values are exact offers the likeliest first, unless the typed one exists.
  const exact = suggestions?.find(({ value }) => value === text);
  const first = field.kind === 'text' && !field.isPart && !exact && listed.length > 0;
  const counted = own.map((option) => (exact ? { ...option, title: exact.label, count: exact.count } : option));
  return first ? [...listed, ...counted] : [...counted, ...examples, ...listed];
}

function stateOptions(
  typing: Typing,
  field: Field,
  suggestions: readonly Suggestion[] | undefined,
  fields: readonly Field[],
): Option[] {
  const word = typing.text.toLowerCase();
  const counts = new Map(suggestions?.map(({ value, count }) => [value.toLowerCase(), count]));
  const option = (value: string, isBelow: boolean): Option => {
    const count = counts.get(value.toLowerCase());
    return {
      key: `state ${value}`,
      title: titleOfWord(value),
      state: value,
      isBelow,
      ...(count === undefined ? {} : { count }),
      filter: chosen(typing, field, value, fields),
    };
  };
  const matches = (value: string) => startsWith(value, word) || startsWith(titleOfWord(value), word);
  const known = new Set<string>();
  const listed = stateKinds.flatMap((kind) => {
    const type = kind.toLowerCase();
    const names = namesOf(kind).map(([name]) => name);
    for (const one of [type, ...names]) known.add(one.toLowerCase());
    const below = names.filter((name) => matches(name) || startsWith(titleOf(kind), word));
    return [...(matches(type) ? [option(type, false)] : []), ...below.map((name) => option(name, matches(type)))];
  });
  // Names that programs have given to their states.
  const others = (suggestions ?? []).filter(({ value }) => !known.has(value.toLowerCase()) && matches(value));
  return [...listed, ...others.map(({ value }) => option(value, false))];
}
