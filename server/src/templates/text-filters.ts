/** Jinja's filters of texts and numbers. Source: Jinja's documentation, "List of builtin filters". */
import { countArgument, type Filter, textArgument } from './filter.ts';
import { formatWithPercent } from './format-text.ts';
import { jsonOf } from './json-text.ts';
import { capitalize, replaceText, titleCase } from './methods.ts';
import { MAX_SIZE, tooLarge } from './operators.ts';
import { TemplateRuntimeError, typeError } from './syntax/template-error.ts';
import { argument, isTrue, numeric, textOf, tuple, typeName, Undefined, type Value } from './values.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

/** Most spaces for each level of indented JSON. */
const MAX_INDENT = 16;

function escapeHtml(value: Value): string {
  return textOf(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

function number(value: Value): bigint | number {
  const result = numeric(value);
  if (result === undefined) throw typeError(`bad operand type: '${typeName(value)}'`);
  return result;
}

function toInteger(value: Value, fallback: Value, base: number): Value {
  const given = numeric(value);
  if (typeof given === 'bigint') return given;
  if (given !== undefined) return Number.isFinite(given) ? BigInt(Math.trunc(given)) : fallback;
  if (typeof value !== 'string') return fallback;
  const text = value.trim().replaceAll('_', '').toLowerCase();
  const prefix = { 2: '0b', 8: '0o', 16: '0x' }[base];
  const digits = prefix && text.startsWith(prefix) ? text.slice(2) : text;
  if (base !== 10) {
    const parsed = Number.parseInt(digits, base);
    return /^-?[\da-z]+$/.test(digits) && !Number.isNaN(parsed) ? BigInt(parsed) : fallback;
  }
  if (/^[-+]?\d+$/.test(digits)) return BigInt(digits.replace('+', ''));
  const float = toFloat(value, Number.NaN);
  return typeof float === 'number' && Number.isFinite(float) ? BigInt(Math.trunc(float)) : fallback;
}

function toFloat(value: Value, fallback: Value): Value {
  const given = numeric(value);
  if (given !== undefined) return Number(given);
  if (typeof value !== 'string' || !/^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(value)) return fallback;
  return Number(value);
}

const round: Filter = (value, given) => {
  const precision = countArgument(given, 0, 'precision', 0);
  const method = textArgument(given, 1, 'method', 'common');
  const asked = number(value);
  if (method !== 'common' && method !== 'ceil' && method !== 'floor') {
    throw new TemplateRuntimeError('FilterArgumentError', 'method must be common, ceil or floor');
  }
  const scale = 10 ** precision;
  const scaled = Number(asked) * scale;
  if (method !== 'common') return (method === 'ceil' ? Math.ceil(scaled) : Math.floor(scaled)) / scale;
  // Like Python, keeps integers as integers here, and rounds halves to even.
  if (typeof asked === 'bigint') return precision >= 0 ? asked : BigInt(Math.round(scaled) / scale);
  const down = Math.floor(scaled);
  const rest = scaled - down;
  const rounded = rest > 0.5 || (rest === 0.5 && down % 2 !== 0) ? down + 1 : down;
  return rounded / scale;
};

const truncate: Filter = (value, given) => {
  const length = countArgument(given, 0, 'length', 255);
  const end = textArgument(given, 2, 'end', '...');
  const leeway = countArgument(given, 3, 'leeway', 5);
  const text = textOf(value);
  const characters = [...text];
  if (characters.length <= length + leeway) return text;
  const kept = characters.slice(0, Math.max(0, length - [...end].length)).join('');
  if (isTrue(argument(given, 1, 'killwords') ?? false)) return kept + end;
  const lastSpace = kept.lastIndexOf(' ');
  return (lastSpace < 0 ? kept : kept.slice(0, lastSpace)) + end;
};

const indent: Filter = (value, given) => {
  const width = argument(given, 0, 'width') ?? 4n;
  const indention = typeof width === 'string' ? width : ' '.repeat(Math.min(Number(numeric(width) ?? 4), 1000));
  const [first, blank] = [argument(given, 1, 'first') ?? false, argument(given, 2, 'blank') ?? false];
  const lines = textOf(value).split('\n');
  if (lines.length * indention.length > MAX_SIZE) throw tooLarge();
  return lines
    .map((line, index) => {
      const isIndented = index === 0 ? isTrue(first) : line !== '' || isTrue(blank);
      return isIndented ? indention + line : line;
    })
    .join('\n');
};

const fileSize: Filter = (value, given) => {
  const isBinary = isTrue(argument(given, 0, 'binary') ?? false);
  const base = isBinary ? 1024 : 1000;
  const units = isBinary
    ? ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB', 'ZiB', 'YiB']
    : ['kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB'];
  const bytes = Number(toFloat(value, 0));
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  const power = Math.min(units.length, Math.floor(Math.log(bytes) / Math.log(base)));
  return `${(bytes / base ** power).toFixed(1)} ${units[power - 1]}`;
};

const wordwrap: Filter = (value, given) => {
  const width = Math.max(1, countArgument(given, 0, 'width', 79));
  const wrapLine = (line: string) => {
    const lines: string[] = [];
    let current = '';
    for (const word of line.split(' ')) {
      const candidate = current === '' ? word : `${current} ${word}`;
      if (candidate.length <= width) {
        current = candidate;
        continue;
      }
      if (current !== '') lines.push(current);
      let rest = word;
      for (; rest.length > width; rest = rest.slice(width)) lines.push(rest.slice(0, width));
      current = rest;
    }
    return [...lines, current].join('\n');
  };
  return textOf(value).split('\n').map(wrapLine).join('\n');
};

/** Encodes spaces as `+` in a query; elsewhere keeps `/`. */
function encodeForUrl(value: Value, isQuery = false): string {
  const encoded = encodeURIComponent(textOf(value).toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return isQuery ? encoded.replaceAll('%20', '+') : encoded.replaceAll('%2F', '/');
}

/** Removes comments and tags in one pass; a tag that does not end is text. */
function withoutTags(text: string): string {
  let result = '';
  let index = 0;
  for (;;) {
    const open = text.indexOf('<', index);
    if (open < 0) return result + text.slice(index);
    const isComment = text.startsWith('<!--', open);
    const close = text.indexOf(isComment ? '-->' : '>', open);
    if (close < 0) return result + text.slice(index);
    result += text.slice(index, open);
    index = close + (isComment ? 3 : 1);
  }
}

export const textFilters: readonly (readonly [string, Filter])[] = [
  ['upper', (value) => textOf(value).toUpperCase()],
  ['lower', (value) => textOf(value).toLowerCase()],
  ['capitalize', (value) => capitalize(textOf(value))],
  ['title', (value) => textOf(value).replace(/[^-\s({[<]+/g, (word) => capitalize(word))],
  [
    'trim',
    (value, given) => {
      const characters = argument(given, 0, 'chars') ?? null;
      if (typeof characters !== 'string') return textOf(value).trim();
      const goes = new Set(characters);
      const all = [...textOf(value)];
      while (goes.has(all[0] ?? '')) all.shift();
      while (goes.has(all.at(-1) ?? '')) all.pop();
      return all.join('');
    },
  ],
  [
    'replace',
    (value, given) =>
      replaceText(
        textOf(value),
        textArgument(given, 0, 'old', ''),
        textArgument(given, 1, 'new', ''),
        countArgument(given, 2, 'count', -1),
      ),
  ],
  ['truncate', truncate],
  ['indent', indent],
  ['wordwrap', wordwrap],
  [
    'center',
    (value, given) => {
      const width = countArgument(given, 0, 'width', 80);
      if (width > MAX_SIZE) throw tooLarge();
      const text = textOf(value);
      const missing = Math.max(0, width - [...text].length);
      return ' '.repeat(Math.floor(missing / 2)) + text + ' '.repeat(Math.ceil(missing / 2));
    },
  ],
  ['wordcount', (value) => BigInt(textOf(value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0)],
  ['striptags', (value) => withoutTags(textOf(value)).split(/\s+/).filter(Boolean).join(' ')],
  ['e', escapeHtml],
  ['escape', escapeHtml],
  ['forceescape', escapeHtml],
  ['safe', (value) => textOf(value)],
  ['string', (value) => textOf(value)],
  ['format', (value, given) => formatWithPercent(textOf(value), tuple(...given.positional), given.named)],
  [
    'urlencode',
    (value) => {
      const pairs = value instanceof Map ? [...value] : Array.isArray(value) ? value : undefined;
      if (!pairs) return encodeForUrl(value);
      return pairs
        .map((pair) => (Array.isArray(pair) ? pair : [pair, null]))
        .map(([name, item]) => `${encodeForUrl(name ?? null, true)}=${encodeForUrl(item ?? null, true)}`)
        .join('&');
    },
  ],
  [
    'tojson',
    (value, given) => {
      const json = jsonOf(value, Math.min(MAX_INDENT, Number(numeric(argument(given, 0, 'indent') ?? null) ?? 0)));
      return json.replace(/[<>&']/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
    },
  ],
  [
    'abs',
    (value) => {
      const size = number(value);
      return size < 0 ? -size : size;
    },
  ],
  ['int', (value, given) => toInteger(value, argument(given, 0, 'default') ?? 0n, countArgument(given, 1, 'base', 10))],
  ['float', (value, given) => toFloat(value, argument(given, 0, 'default') ?? 0)],
  ['round', round],
  ['filesizeformat', fileSize],
  [
    'default',
    (value, given) => {
      const isMissing = isTrue(argument(given, 1, 'boolean') ?? false) ? !isTrue(value) : value instanceof Undefined;
      return isMissing ? (given.positional[0] ?? given.named.get('default_value') ?? '') : value;
    },
  ],
  ['titlecase', (value) => titleCase(textOf(value))],
];
