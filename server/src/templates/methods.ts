/** The methods of texts, lists and mappings in a template. None of them changes its value. */

import { spend, spendOnSearch } from './budget.ts';
import { formatWithBraces } from './format-text.ts';
import { asKey, MAX_SIZE, tooLarge } from './operators.ts';
import { TemplateRuntimeError, typeError } from './syntax/template-error.ts';
import {
  type Arguments,
  argument,
  isEqual,
  iterate,
  TemplateFunction,
  Tuple,
  textOf,
  tuple,
  typeName,
  type Value,
  wholeNumber,
} from './values.ts';

type Method<Target> = (target: Target, given: Arguments) => Value;

function text(given: Arguments, index: number, name: string, fallback?: string): string {
  const value = argument(given, index, name) ?? fallback;
  if (typeof value !== 'string') throw typeError(`expected str, not ${typeName(value ?? null)}`);
  return value;
}

function texts(value: Value): readonly string[] {
  return (value instanceof Tuple ? value : [value]).map((item) => {
    if (typeof item !== 'string') throw typeError(`expected str or a tuple of str, not ${typeName(item)}`);
    return item;
  });
}

const isBlank = (character: string) => /\s/.test(character);

/** `strip` removes white space, or the given characters. */
function stripped(target: string, given: Arguments, sides: 'both' | 'start' | 'end'): string {
  const characters = argument(given, 0, 'chars');
  const set = typeof characters === 'string' ? new Set(characters) : undefined;
  const goes = (character: string) => set?.has(character) ?? isBlank(character);
  const all = [...target];
  let [start, end] = [0, all.length];
  if (sides !== 'end') while (start < end && goes(all[start] ?? '')) start++;
  if (sides !== 'start') while (end > start && goes(all[end - 1] ?? '')) end--;
  return all.slice(start, end).join('');
}

function split(target: string, given: Arguments): Value {
  const separator = argument(given, 0, 'sep') ?? null;
  const limit = wholeNumber(argument(given, 1, 'maxsplit') ?? -1n, 'maxsplit');
  const whole = separator === null ? target.trim() : target;
  spendOnSearch(target, separator === null ? ' ' : textOf(separator));
  if (separator === null && whole === '') return [];
  if (separator === '') throw new TemplateRuntimeError('ValueError', 'empty separator');
  const parts = separator === null ? whole.split(/\s+/) : whole.split(textOf(separator));
  if (limit < 0 || parts.length <= limit + 1) return parts;
  if (separator !== null) return [...parts.slice(0, limit), parts.slice(limit).join(textOf(separator))];
  let rest = whole;
  for (const part of parts.slice(0, limit)) rest = rest.slice(part.length).trimStart();
  return [...parts.slice(0, limit), rest];
}

function replace(target: string, given: Arguments): Value {
  const [old, fresh] = [text(given, 0, 'old'), text(given, 1, 'new')];
  const count = wholeNumber(argument(given, 2, 'count') ?? -1n, 'count');
  return replaceText(target, old, fresh, count);
}

/** A negative `count` replaces all. */
export function replaceText(target: string, old: string, fresh: string, count: number): string {
  spendOnSearch(target, old);
  const parts = target.split(old);
  spend(parts.length);
  const replaced = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1);
  if (target.length + replaced * Math.max(0, fresh.length - old.length) > MAX_SIZE) throw tooLarge();
  return (
    parts.slice(0, replaced + 1).join(fresh) +
    parts
      .slice(replaced + 1)
      .map((part) => old + part)
      .join('')
  );
}

function padded(target: string, given: Arguments, fill: (missing: number, with_: string) => string): string {
  const width = wholeNumber(argument(given, 0, 'width') ?? 0n, 'width');
  if (width > MAX_SIZE) throw tooLarge();
  return fill(Math.max(0, width - [...target].length), text(given, 1, 'fillchar', ' '));
}

/** Upper case for the first letter of each run of letters, lower case for the others. */
export function titleCase(target: string): string {
  return target.replace(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase());
}

export function capitalize(target: string): string {
  const [first = '', ...rest] = target;
  return first.toUpperCase() + rest.join('').toLowerCase();
}

function joinTexts(separator: string, items: Value): string {
  const parts = iterate(items).map((item, index) => {
    if (typeof item !== 'string') {
      throw typeError(`sequence item ${index}: expected str instance, ${typeName(item)} found`);
    }
    return item;
  });
  const length = parts.reduce((sum, part) => sum + part.length + separator.length, 0);
  if (length > MAX_SIZE) throw tooLarge();
  return parts.join(separator);
}

function searched(target: string, sub: string, search: (sub: string) => number): number {
  spendOnSearch(target, sub);
  return search(sub);
}

const has = (target: string, pattern: RegExp) => target !== '' && pattern.test(target);

const textMethods = new Map<string, Method<string>>([
  ['upper', (target) => target.toUpperCase()],
  ['lower', (target) => target.toLowerCase()],
  ['casefold', (target) => target.toLowerCase()],
  ['title', (target) => titleCase(target)],
  ['capitalize', (target) => capitalize(target)],
  [
    'swapcase',
    (target) =>
      target.replace(/\p{L}/gu, (letter) =>
        letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
      ),
  ],
  ['strip', (target, given) => stripped(target, given, 'both')],
  ['lstrip', (target, given) => stripped(target, given, 'start')],
  ['rstrip', (target, given) => stripped(target, given, 'end')],
  ['split', split],
  ['splitlines', (target) => target.replace(/\r\n|\r|\n$/g, (end) => (end === '\n' ? '' : '\n')).split('\n')],
  ['join', (target, given) => joinTexts(target, argument(given, 0, 'iterable') ?? [])],
  ['replace', replace],
  [
    'startswith',
    (target, given) => texts(argument(given, 0, 'prefix') ?? null).some((prefix) => target.startsWith(prefix)),
  ],
  [
    'endswith',
    (target, given) => texts(argument(given, 0, 'suffix') ?? null).some((suffix) => target.endsWith(suffix)),
  ],
  [
    'removeprefix',
    (target, given) =>
      target.startsWith(text(given, 0, 'prefix')) ? target.slice(text(given, 0, 'prefix').length) : target,
  ],
  [
    'removesuffix',
    (target, given) => {
      const suffix = text(given, 0, 'suffix');
      return suffix !== '' && target.endsWith(suffix) ? target.slice(0, -suffix.length) : target;
    },
  ],
  ['find', (target, given) => BigInt(searched(target, text(given, 0, 'sub'), (sub) => target.indexOf(sub)))],
  ['rfind', (target, given) => BigInt(searched(target, text(given, 0, 'sub'), (sub) => target.lastIndexOf(sub)))],
  ['count', (target, given) => BigInt(searched(target, text(given, 0, 'sub'), (sub) => target.split(sub).length - 1))],
  [
    'partition',
    (target, given) => {
      const separator = text(given, 0, 'sep');
      const at = searched(target, separator, (sub) => target.indexOf(sub));
      return at < 0
        ? tuple(target, '', '')
        : tuple(target.slice(0, at), separator, target.slice(at + separator.length));
    },
  ],
  [
    'center',
    (target, given) =>
      padded(target, given, (missing, fill) => {
        const before = Math.floor(missing / 2);
        return fill.repeat(before) + target + fill.repeat(missing - before);
      }),
  ],
  ['ljust', (target, given) => padded(target, given, (missing, fill) => target + fill.repeat(missing))],
  ['rjust', (target, given) => padded(target, given, (missing, fill) => fill.repeat(missing) + target)],
  [
    'zfill',
    (target, given) =>
      padded(target, given, (missing) =>
        /^[-+]/.test(target) ? target.charAt(0) + '0'.repeat(missing) + target.slice(1) : '0'.repeat(missing) + target,
      ),
  ],
  ['format', (target, given) => formatWithBraces(target, given)],
  ['isdigit', (target) => has(target, /^\p{Nd}+$/u)],
  ['isnumeric', (target) => has(target, /^\p{N}+$/u)],
  ['isalpha', (target) => has(target, /^\p{L}+$/u)],
  ['isalnum', (target) => has(target, /^[\p{L}\p{N}]+$/u)],
  ['isspace', (target) => has(target, /^\s+$/)],
  ['isupper', (target) => target !== target.toLowerCase() && target === target.toUpperCase()],
  ['islower', (target) => target !== target.toUpperCase() && target === target.toLowerCase()],
]);

const listMethods = new Map<string, Method<readonly Value[]>>([
  [
    'count',
    (target, given) => BigInt(target.filter((item) => isEqual(item, argument(given, 0, 'value') ?? null)).length),
  ],
  [
    'index',
    (target, given) => {
      const index = target.findIndex((item) => isEqual(item, argument(given, 0, 'value') ?? null));
      if (index < 0) throw new TemplateRuntimeError('ValueError', 'list.index(x): x not in list');
      return BigInt(index);
    },
  ],
]);

const mappingMethods = new Map<string, Method<ReadonlyMap<Value, Value>>>([
  ['items', (target) => Array.from(target, ([key, item]) => tuple(key, item))],
  ['keys', (target) => [...target.keys()]],
  ['values', (target) => [...target.values()]],
  [
    'get',
    (target, given) => target.get(asKey(argument(given, 0, 'key') ?? null)) ?? argument(given, 1, 'default') ?? null,
  ],
]);

/** A method of a value, bound to it; undefined when there is none of this name. */
export function methodOf(target: Value, name: string): TemplateFunction | undefined {
  const bind = <Target extends Value>(methods: ReadonlyMap<string, Method<Target>>, bound: Target) => {
    const method = methods.get(name);
    return method && new TemplateFunction(name, (given) => method(bound, given));
  };
  if (typeof target === 'string') return bind(textMethods, target);
  if (Array.isArray(target)) return bind<readonly Value[]>(listMethods, target);
  if (target instanceof Map) return bind(mappingMethods, target as ReadonlyMap<Value, Value>);
  return undefined;
}
