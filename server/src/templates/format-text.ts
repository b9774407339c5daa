/** Python's two ways to fill in texts: `'%s: %d' % values` and `'{}: {name}'.format(...)`. */
import { spend } from './budget.ts';
import { TemplateRuntimeError, typeError } from './syntax/template-error.ts';
import { type Arguments, numeric, reprOf, Tuple, textOf, typeName, type Value } from './values.ts';

const MAX_WIDTH = 1000;
const CONVERSION = /%(?:\(([^)]*)\))?([-+ 0#]*)(\d*)(?:\.(\d+))?([sdifrxXeg%])/g;

export function formatWithPercent(format: string, given: Value, named?: ReadonlyMap<string, Value>): string {
  const values = given instanceof Tuple ? [...given] : [given];
  const names = named ?? (given instanceof Map ? (given as ReadonlyMap<Value, Value>) : undefined);
  let used = 0;
  let usesNames = false;
  const text = format.replace(CONVERSION, (_match, name, flags, width, precision, conversion) => {
    spend(8 + Math.min(Number(width || 0), MAX_WIDTH) / 8);
    if (conversion === '%') return '%';
    let value: Value | undefined;
    if (name !== undefined) {
      usesNames = true;
      value = names?.get(name);
      if (value === undefined) throw new TemplateRuntimeError('KeyError', name);
    } else {
      value = values[used++];
      if (value === undefined) throw typeError('not enough arguments for format string');
    }
    return padded(converted(value, conversion, precision, flags), flags, width);
  });
  if (!usesNames && used < values.length && !(given instanceof Map)) {
    throw typeError('not all arguments converted during string formatting');
  }
  return text;
}

function converted(value: Value, conversion: string, precision: string | undefined, flags: string): string {
  if (conversion === 's' || conversion === 'r') {
    const text = conversion === 's' ? textOf(value) : reprOf(value);
    return precision === undefined ? text : [...text].slice(0, Number(precision)).join('');
  }
  const number = numeric(value);
  if (number === undefined) {
    const kind = conversion === 'd' || conversion === 'i' ? 'a real number is required' : 'must be real number';
    throw typeError(
      kind === 'must be real number'
        ? `${kind}, not ${typeName(value)}`
        : `%${conversion} format: ${kind}, not ${typeName(value)}`,
    );
  }
  const sign = number < 0 ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  return sign + digits(number, conversion, precision);
}

function digits(number: bigint | number, conversion: string, precision: string | undefined): string {
  const size = Math.abs(Number(number));
  const decimals = Math.min(Number(precision ?? 6), 100);
  switch (conversion) {
    case 'f':
      return size.toFixed(decimals);
    case 'e':
      return size.toExponential(decimals).replace(/e([+-])(\d)$/, 'e$10$2');
    case 'g':
      return String(Number(size.toPrecision(Math.max(decimals, 1))));
    case 'x':
    case 'X': {
      const hexadecimal = BigInt(Math.trunc(size)).toString(16);
      return conversion === 'x' ? hexadecimal : hexadecimal.toUpperCase();
    }
    default: {
      if (typeof number === 'bigint')
        return String(number)
          .replace('-', '')
          .padStart(Number(precision ?? 0), '0');
      return String(BigInt(Math.trunc(size)));
    }
  }
}

function padded(text: string, flags: string, width: string): string {
  const wanted = Math.min(Number(width || 0), MAX_WIDTH);
  if (flags.includes('-')) return text.padEnd(wanted);
  if (!flags.includes('0')) return text.padStart(wanted);
  const sign = /^[-+ ]/.test(text) ? text.charAt(0) : '';
  return sign + text.slice(sign.length).padStart(wanted - sign.length, '0');
}

const FIELD = /\{\{|\}\}|\{([^{}:!]*)(?:!([rs]))?(?::([^{}]*))?\}/g;

/** `str.format` with names and positions only: fields cannot read attributes or items of a value. */
export function formatWithBraces(format: string, { positional, named }: Arguments): string {
  let next = 0;
  return format.replace(FIELD, (match, field: string | undefined, conversion?: string, spec?: string) => {
    spend(spec ? 8 + MAX_WIDTH / 8 : 8);
    if (match === '{{' || match === '}}') return match.charAt(0);
    const name = field ?? '';
    const value = name === '' ? positional[next++] : /^\d+$/.test(name) ? positional[Number(name)] : named.get(name);
    if (value === undefined) {
      if (name !== '' && !/^\d+$/.test(name)) throw new TemplateRuntimeError('KeyError', name);
      throw new TemplateRuntimeError('IndexError', 'tuple index out of range');
    }
    return withSpec(conversion === 'r' ? reprOf(value) : value, spec ?? '');
  });
}

const SPEC = /^(?:(.)?([<>^]))?([-+ ])?(0)?(\d+)?(,)?(?:\.(\d+))?([sdfeg%x])?$/;

function withSpec(value: Value, spec: string): string {
  const match = SPEC.exec(spec);
  if (!match) throw new TemplateRuntimeError('ValueError', 'Invalid format specifier');
  const [, fill, align, sign, zero, width, grouped, precision, type] = match;
  const number = numeric(value);
  let text: string;
  if (number === undefined || type === 's' || (type === undefined && precision === undefined && !grouped)) {
    text = textOf(value);
    if (precision !== undefined) text = [...text].slice(0, Number(precision)).join('');
  } else {
    const isPercent = type === '%';
    const shown = isPercent ? Number(number) * 100 : number;
    const conversion = isPercent ? 'f' : (type ?? (typeof number === 'bigint' ? 'd' : 'g'));
    text = converted(shown, conversion, precision, sign ?? '') + (isPercent ? '%' : '');
    if (grouped) text = text.replace(/\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
  }
  const missing = Math.min(Number(width ?? 0), MAX_WIDTH) - [...text].length;
  if (missing <= 0) return text;
  const filling = fill ?? (zero ? '0' : ' ');
  const side = align ?? (number === undefined ? '<' : '>');
  if (side === '<') return text + filling.repeat(missing);
  if (side === '>') return filling.repeat(missing) + text;
  const before = Math.floor(missing / 2);
  return filling.repeat(before) + text + filling.repeat(missing - before);
}
