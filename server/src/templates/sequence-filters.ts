/** Jinja's filters of lists and mappings. Source: Jinja's documentation, "List of builtin filters". */
import { follow } from './access.ts';
import { countArgument, type Filter, type FilterTools, textArgument } from './filter.ts';
import { calculate, compareOrder, MAX_SIZE, tooLarge } from './operators.ts';
import { TemplateRuntimeError, typeError } from './syntax/template-error.ts';
import {
  type Arguments,
  argument,
  isEqual,
  isTrue,
  iterate,
  lengthOf,
  numeric,
  textOf,
  tuple,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

const flag = (given: Arguments, index: number, name: string) => isTrue(argument(given, index, name) ?? false);

/** Ignores letter case unless `isCaseSensitive` is true. */
function keyMaker(attribute: Value | undefined, isCaseSensitive: boolean): (item: Value) => Value {
  return (item) => {
    const key = attribute === undefined || attribute === null ? item : follow(item, attribute);
    return typeof key === 'string' && !isCaseSensitive ? key.toLowerCase() : key;
  };
}

function sortBy(items: readonly Value[], keyOf: (item: Value) => Value, isReversed: boolean): Value[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  keyed.sort((one, other) => (isReversed ? compareOrder(other.key, one.key) : compareOrder(one.key, other.key)));
  return keyed.map(({ item }) => item);
}

const sort: Filter = (value, given) => {
  const attribute = argument(given, 2, 'attribute');
  const paths = typeof attribute === 'string' ? attribute.split(',') : [attribute];
  const makers = paths.map((path) => keyMaker(path, flag(given, 1, 'case_sensitive')));
  const keyOf = (item: Value) => tuple(...makers.map((make) => make(item)));
  return sortBy(iterate(value), keyOf, flag(given, 0, 'reverse'));
};

const dictsort: Filter = (value, given) => {
  if (!(value instanceof Map)) throw typeError(`expected dict, not ${typeName(value)}`);
  const by = textArgument(given, 1, 'by', 'key');
  if (by !== 'key' && by !== 'value') {
    throw new TemplateRuntimeError('FilterArgumentError', 'You can only sort by either "key" or "value"');
  }
  const position = by === 'key' ? 0n : 1n;
  const items = Array.from(value as ReadonlyMap<Value, Value>, ([key, item]) => tuple(key, item));
  return sortBy(items, keyMaker(position, flag(given, 0, 'case_sensitive')), flag(given, 2, 'reverse'));
};

/** The first item that no other comes before (or after). */
function extreme(sign: 1 | -1): Filter {
  return (value, given) => {
    const keyOf = keyMaker(argument(given, 1, 'attribute'), flag(given, 0, 'case_sensitive'));
    const items = iterate(value);
    let best = items[0];
    if (best === undefined) return new Undefined('No aggregated item, sequence was empty.');
    for (const item of items) if (compareOrder(keyOf(item), keyOf(best)) * sign > 0) best = item;
    return best;
  };
}

const unique: Filter = (value, given) => {
  const keyOf = keyMaker(argument(given, 1, 'attribute'), flag(given, 0, 'case_sensitive'));
  const seen = new Set<string>();
  return iterate(value).filter((item) => {
    const identity = identityOf(keyOf(item));
    if (seen.has(identity)) return false;
    seen.add(identity);
    return true;
  });
};

/** Returns the same text for equal values. */
function identityOf(value: Value): string {
  const number = numeric(value);
  if (number !== undefined) return `number ${Number(number)}`;
  return `${typeName(value)} ${textOf(value)}`;
}

const groupby: Filter = (value, given) => {
  const attribute = argument(given, 0, 'attribute');
  const fallback = argument(given, 1, 'default');
  const plainKey = (item: Value) => {
    const key = follow(item, attribute ?? null);
    return key instanceof Undefined && fallback !== undefined ? fallback : key;
  };
  const isCaseSensitive = flag(given, 2, 'case_sensitive');
  const keyOf = (item: Value) => keyMaker(undefined, isCaseSensitive)(plainKey(item));
  const groups: { key: Value; shown: Value; items: Value[] }[] = [];
  for (const item of sortBy(iterate(value), keyOf, false)) {
    const key = keyOf(item);
    const last = groups.at(-1);
    if (last && isEqual(last.key, key)) last.items.push(item);
    else groups.push({ key, shown: plainKey(item), items: [item] });
  }
  return groups.map(({ shown, items }) => tuple(shown, items));
};

const batch: Filter = (value, given) => {
  const size = Math.max(1, countArgument(given, 0, 'linecount', 1));
  const fill = argument(given, 1, 'fill_with') ?? null;
  if (size > MAX_SIZE) throw tooLarge();
  const items = iterate(value);
  const rows: Value[][] = [];
  for (let index = 0; index < items.length; index += size) rows.push(items.slice(index, index + size));
  const last = rows.at(-1);
  if (last && fill !== null) while (last.length < size) last.push(fill);
  return rows;
};

const slice: Filter = (value, given) => {
  const count = Math.max(1, countArgument(given, 0, 'slices', 1));
  const fill = argument(given, 1, 'fill_with') ?? null;
  if (count > MAX_SIZE) throw tooLarge();
  const items = iterate(value);
  const [size, longer] = [Math.floor(items.length / count), items.length % count];
  let start = 0;
  return Array.from({ length: count }, (_, index) => {
    const end = start + size + (index < longer ? 1 : 0);
    const part = items.slice(start, end);
    start = end;
    return fill !== null && index >= longer ? [...part, fill] : part;
  });
};

const join: Filter = (value, given) => {
  const separator = textOf(argument(given, 0, 'd') ?? '');
  const attribute = argument(given, 1, 'attribute');
  const texts = iterate(value).map((item) => textOf(attribute === undefined ? item : follow(item, attribute)));
  if (texts.reduce((sum, text) => sum + text.length + separator.length, 0) > MAX_SIZE) throw tooLarge();
  return texts.join(separator);
};

const sum: Filter = (value, given) => {
  const attribute = argument(given, 0, 'attribute');
  const items = iterate(value).map((item) => (attribute === undefined ? item : follow(item, attribute)));
  return items.reduce<Value>((total, item) => calculate('+', total, item), argument(given, 1, 'start') ?? 0n);
};

const map: Filter = (value, given, tools) => {
  const [name, ...positional] = given.positional;
  if (name === undefined) {
    const attribute = given.named.get('attribute');
    if (attribute === undefined)
      throw new TemplateRuntimeError('FilterArgumentError', 'map requires a filter argument');
    const fallback = given.named.get('default');
    return iterate(value).map((item) => {
      const found = follow(item, attribute);
      return found instanceof Undefined && fallback !== undefined ? fallback : found;
    });
  }
  return iterate(value).map((item) => tools.filter(textOf(name), item, { positional, named: given.named }));
};

/** `select` and its relatives: items, or an attribute of the items, that pass a test. */
function selection(wanted: boolean, byAttribute: boolean): Filter {
  return (value, given, tools) => {
    const [attribute, positional] = byAttribute
      ? [given.positional[0], given.positional.slice(1)]
      : [undefined, given.positional];
    if (byAttribute && attribute === undefined) {
      throw new TemplateRuntimeError('FilterArgumentError', 'Missing parameter for attribute name');
    }
    return iterate(value).filter((item) => {
      const subject = attribute === undefined ? item : follow(item, attribute);
      return passes(subject, { positional, named: given.named }, tools) === wanted;
    });
  };
}

function passes(subject: Value, { positional, named }: Arguments, tools: FilterTools): boolean {
  const [test, ...others] = positional;
  return test === undefined ? isTrue(subject) : tools.test(textOf(test), subject, { positional: others, named });
}

const reverse: Filter = (value) =>
  typeof value === 'string' ? [...value].reverse().join('') : [...iterate(value)].reverse();

const length: Filter = (value) => BigInt(lengthOf(value));

export const sequenceFilters: readonly (readonly [string, Filter])[] = [
  ['length', length],
  ['count', length],
  ['list', (value) => [...iterate(value)]],
  ['first', (value) => iterate(value)[0] ?? new Undefined('No first item, sequence was empty.')],
  ['last', (value) => iterate(value).at(-1) ?? new Undefined('No last item, sequence was empty.')],
  ['join', join],
  ['sum', sum],
  ['sort', sort],
  ['dictsort', dictsort],
  ['reverse', reverse],
  ['unique', unique],
  ['min', extreme(-1)],
  ['max', extreme(1)],
  ['groupby', groupby],
  ['batch', batch],
  ['slice', slice],
  ['map', map],
  ['select', selection(true, false)],
  ['reject', selection(false, false)],
  ['selectattr', selection(true, true)],
  ['rejectattr', selection(false, true)],
  ['attr', (value, given) => follow(value, argument(given, 0, 'name') ?? null)],
  [
    'items',
    (value) => {
      if (value instanceof Undefined) return [];
      if (!(value instanceof Map)) throw typeError('Can only get item pairs from a mapping.');
      return Array.from(value as ReadonlyMap<Value, Value>, ([key, item]) => tuple(key, item));
    },
  ],
];
