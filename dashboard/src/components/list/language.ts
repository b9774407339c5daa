/**
 * The typed form of the filters of a list: `state:failed,late flow:etl -tag:prod tries:>1 since:2d`. Words without a
 * field are searched for in names. The values of one field in an address are written the same way: `flow=etl,!"a, b"`.
 */
import { type Condition, type Field, fieldNamed, nearestField, problemOf } from './fields.ts';

export interface ParsedFilter {
  readonly conditions: readonly Condition[];
  /** The `span` of the address, if a time was typed. */
  readonly span?: string;
  /** The words without a field. */
  readonly text: string;
  readonly problems: readonly FilterProblem[];
}

export interface FilterProblem {
  /** The part that was not understood. */
  readonly part: string;
  readonly message: string;
  /** The part as it was probably meant. */
  readonly nearest?: string;
}

/** Parts are divided by spaces outside of quotes. */
const PART = /(?:"(?:\\.|[^"\\])*"?|\S)+/g;
const NAMED = /^([-!]?)([a-z][\w-]*?)(?::|(?=[<>]))(.*)$/is;
const VALUE = /\s*(!?)("(?:\\.|[^"\\])*"?|[^,]*)(?:,|$)/gy;
const RELATIVE = /^\d{1,4}[mhdw]$/i;

export function parseFilter(typed: string, fields: readonly Field[]): ParsedFilter {
  const conditions: Condition[] = [];
  const words: string[] = [];
  const problems: FilterProblem[] = [];
  const times: { since?: string; until?: string } = {};
  for (const [part] of typed.matchAll(PART)) {
    const [, minus, name = '', rest = ''] = NAMED.exec(part) ?? [];
    const time = name.toLowerCase();
    const field = fieldNamed(fields, name);
    if (name === '') words.push(unquoted(part));
    else if (time === 'since' || time === 'until') {
      const value = unquoted(rest);
      if (isTime(value)) times[time] = value;
      else problems.push({ part, message: `${name} takes a time such as 2d, 3h or 2026-11-22, not “${value}”.` });
    } else if (!field) problems.push(unknown(part, name, fields));
    else {
      for (const { value, not } of valuesIn(rest)) {
        const message = problemOf(field, value);
        if (message === undefined) conditions.push({ field: field.name, not: not !== (minus !== ''), values: [value] });
        else problems.push({ part, message });
      }
    }
  }
  const span = spanOf(times);
  return { conditions: gathered(conditions), ...(span ? { span } : {}), text: words.join(' '), problems };
}

function unknown(part: string, name: string, fields: readonly Field[]): FilterProblem {
  const near = nearestField(fields, name);
  return {
    part,
    message: `There is no field “${name}”.`,
    ...(near ? { nearest: part.replace(name, near.name) } : {}),
  };
}

function isTime(value: string): boolean {
  return RELATIVE.test(value) || (/^\d{4}-/.test(value) && !Number.isNaN(Date.parse(value)));
}

const DAY_MILLISECONDS = 86_400_000;

/** A time that ends the span alone has the day before it. */
function spanOf({ since, until }: { readonly since?: string; readonly until?: string }): string | undefined {
  const at = (value: string) => (RELATIVE.test(value) ? value.toLowerCase() : new Date(value).toISOString());
  if (since !== undefined) {
    if (until !== undefined) return `${at(since)}/${at(until)}`;
    return RELATIVE.test(since) ? at(since) : `${at(since)}/now`;
  }
  if (until === undefined || RELATIVE.test(until)) return undefined;
  return `${new Date(Date.parse(until) - DAY_MILLISECONDS).toISOString()}/${at(until)}`;
}

/** The conditions in the form in which they are typed. */
export function writeFilter(conditions: readonly Condition[]): string {
  return conditions
    .map(({ field, not, values }) => `${not ? '-' : ''}${field}:${values.map(quoted).join(',')}`)
    .join(' ');
}

/** One condition for each field and sign, in the order of their first values, each value once. */
export function gathered(conditions: readonly Condition[]): Condition[] {
  const all = new Map<string, { field: string; not?: true; values: string[] }>();
  for (const { field, not, values } of conditions) {
    const key = `${not ? '!' : ''}${field}`;
    const one = all.get(key) ?? { field, ...(not ? { not } : {}), values: [] };
    one.values.push(...values.filter((value) => !one.values.includes(value)));
    all.set(key, one);
  }
  return [...all.values()];
}

/** The conditions in an address, in the order of the fields. */
export function conditionsIn(search: Readonly<Record<string, unknown>>, fields: readonly Field[]): Condition[] {
  return gathered(
    fields.flatMap(({ name: field }) => {
      const text = search[field];
      return typeof text === 'string' ? valuesIn(text).map(({ value, not }) => ({ field, not, values: [value] })) : [];
    }),
  );
}

/** The part of an address that holds these conditions and no other. */
export function searchFor(
  conditions: readonly Condition[],
  fields: readonly Field[],
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    fields.map(({ name }) => {
      const own = conditions.filter(({ field }) => field === name);
      const texts = own.flatMap(({ not, values }) => values.map((value) => `${not ? '!' : ''}${addressed(value)}`));
      return [name, texts.length > 0 ? texts.join(',') : undefined];
    }),
  );
}

function valuesIn(text: string): { readonly value: string; readonly not: boolean }[] {
  return [...text.matchAll(VALUE)]
    .map(([, not, value = '']) => ({ value: unquoted(value.trim()), not: not === '!' }))
    .filter(({ value }) => value !== '');
}

/** A value as it is typed: quoted if it holds a space, a comma or a sign. */
function quoted(value: string): string {
  return /[\s,"]|^[-!]|^$/.test(value) ? inQuotes(value) : value;
}

/** A value as an address holds it: quoted if it would be read as several, or as its opposite. */
export function addressed(value: string): string {
  return /[,"]|^[!\s]|\s$/.test(value) ? inQuotes(value) : value;
}

function inQuotes(value: string): string {
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  return text
    .replace(/^"/, '')
    .replace(/(?<!\\)"$/, '')
    .replaceAll(/\\(.)/g, '$1');
}
