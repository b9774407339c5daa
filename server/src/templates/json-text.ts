import { spend, spendOnText } from './budget.ts';
import { typeError } from './syntax/template-error.ts';
import { reprOf, TemplateObject, textOf, typeName, type Value } from './values.ts';

/** Like Python's `json.dumps(value, sort_keys=True)`, with `indent` spaces per level; 0 for one line. */
export function jsonOf(value: Value, indent = 0, level = 0): string {
  spend(1);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return asciiText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? reprOf(value) : (NOT_FINITE[reprOf(value)] ?? 'NaN');
  const members = (open: string, close: string, parts: readonly string[]) => {
    if (parts.length === 0) return open + close;
    if (indent === 0) return `${open}${parts.join(', ')}${close}`;
    const [inner, outer] = [`\n${' '.repeat(indent * (level + 1))}`, `\n${' '.repeat(indent * level)}`];
    return `${open}${inner}${parts.join(`,${inner}`)}${outer}${close}`;
  };
  if (Array.isArray(value))
    return members(
      '[',
      ']',
      value.map((item) => jsonOf(item, indent, level + 1)),
    );
  if (value instanceof Map) {
    const entries = Array.from(value, ([key, item]) => [textOf(key), item] as const);
    entries.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
    return members(
      '{',
      '}',
      entries.map(([key, item]) => `${asciiText(key)}: ${jsonOf(item, indent, level + 1)}`),
    );
  }
  if (value instanceof TemplateObject) return jsonOf(value.json(), indent, level);
  throw typeError(`Object of type ${typeName(value)} is not JSON serializable`);
}

const NOT_FINITE: Readonly<Record<string, string>> = { inf: 'Infinity', '-inf': '-Infinity', nan: 'NaN' };

function asciiText(text: string): string {
  spendOnText(text.length);
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
