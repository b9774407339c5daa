/** The fields by which a list can be narrowed, and what may be typed as their values. */
import { stateWord } from '../../design/states.ts';
import { mistakes } from './spelling.ts';

export interface Field {
  /** The name in the address, in the typed language and in `where`. */
  readonly name: string;
  readonly title: string;
  /**
   * `text` is chosen from suggestions or typed, `number` and `duration` are compared, and `choice` is one of `choices`.
   */
  readonly kind: 'text' | 'state' | 'number' | 'duration' | 'choice';
  /** Other words that people type for it. */
  readonly aliases?: readonly string[];
  /** The values with their titles. */
  readonly choices?: readonly (readonly [value: string, title: string])[];
  /** An example for the field's menu. */
  readonly example?: string;
  /** True if a value is a part of what it is compared with, so that any text is a value. */
  readonly isPart?: boolean;
  /** The value as the server takes it, if it differs from what people write. */
  readonly sent?: (value: string) => string;
  /** True if the list asks for it in a way of its own, not in `where`. */
  readonly isOwn?: boolean;
}

/** All values are alternatives; with `not`, none of them may hold. */
export interface Condition {
  readonly field: string;
  readonly not?: boolean;
  readonly values: readonly string[];
}

/** The name of a field as it is sent. Each list has names of its own, and this one is accepted by the types of all. */
export type SentField = never;

/** A condition as it is sent. */
export interface SentCondition {
  field: SentField;
  not?: boolean;
  values: string[];
}

const COMPARISON = /^(>=|<=|>|<|=)?\s*(.+)$/;
const DURATION_PART = /(\d+(?:\.\d+)?)\s*(d|h|min|m|s)?/gy;
const UNIT_SECONDS: Readonly<Record<string, number>> = { d: 86_400, h: 3600, min: 60, m: 60, s: 1 };

/** `1h30m` in seconds; undefined when it is no duration. A number without a unit has seconds. */
function secondsIn(text: string): number | undefined {
  let seconds = 0;
  let end = 0;
  for (const [part, count, unit = 's'] of text.matchAll(DURATION_PART)) {
    seconds += Number(count) * (UNIT_SECONDS[unit] ?? 1);
    end += part.length;
  }
  return text !== '' && end === text.length ? seconds : undefined;
}

/** The value as the server reads it; undefined when the field has no such value. */
export function sentValue({ kind, choices, sent }: Field, value: string): string | undefined {
  const typed = value.trim();
  const [, sign = '', rest = ''] = COMPARISON.exec(typed.toLowerCase()) ?? [];
  const comparison = sign === '=' ? '' : sign;
  switch (kind) {
    case 'number':
      return /^\d{1,9}$/.test(rest) ? `${comparison}${rest}` : undefined;
    case 'duration': {
      const seconds = secondsIn(rest);
      return seconds === undefined ? undefined : `${comparison}${seconds}`;
    }
    case 'choice':
      return choices?.find(([one, title]) => [one, title.toLowerCase()].includes(typed.toLowerCase()))?.[0];
    case 'state':
      return typed === '' ? undefined : stateWord(typed);
    default:
      return typed === '' ? undefined : (sent?.(value) ?? value);
  }
}

/** The reason why the field has no such value, with what it takes. */
export function problemOf(field: Field, value: string): string | undefined {
  if (sentValue(field, value) !== undefined) return undefined;
  const quoted = `“${value}”`;
  if (field.kind === 'number') return `${field.title} takes a number such as 3, >1 or <=5, not ${quoted}.`;
  if (field.kind === 'duration') return `${field.title} takes a time such as 30s, >5m or <2h, not ${quoted}.`;
  if (field.kind === 'choice') {
    return `${field.title} takes ${(field.choices ?? []).map(([one]) => one).join(' or ')}, not ${quoted}.`;
  }
  return `${field.title} has no value.`;
}

/** The conditions as the server takes them. Values that the field does not have are left out. */
export function whereOf(conditions: readonly Condition[], fields: readonly Field[]): SentCondition[] {
  return conditions.flatMap(({ field: name, not, values }) => {
    const field = fields.find((one) => one.name === name && !one.isOwn);
    const sent = field ? values.flatMap((value) => sentValue(field, value) ?? []) : [];
    return sent.length > 0 ? [{ field: name as SentField, ...(not ? { not } : {}), values: sent }] : [];
  });
}

/** The field that a person means: by its name, title or another word for it, in any case. */
export function fieldNamed(fields: readonly Field[], word: string): Field | undefined {
  const wanted = plain(word);
  return fields.find(
    ({ name, title, aliases = [] }) => plain(name) === wanted || plain(title) === wanted || aliases.includes(wanted),
  );
}

/** The name of the field that is spelled most like the word, if one is. */
export function nearestField(fields: readonly Field[], word: string): Field | undefined {
  const wanted = plain(word);
  const near = fields.map((field) => {
    const words = [field.name, field.title, ...(field.aliases ?? [])].map(plain);
    return { field, far: Math.min(...words.map((one) => (one.startsWith(wanted) ? 1 : mistakes(one, wanted)))) };
  });
  const [best] = near.sort((one, other) => one.far - other.far);
  return best && best.far <= Math.max(1, Math.floor(wanted.length / 3)) ? best.field : undefined;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[-_ ]/g, '');
}
