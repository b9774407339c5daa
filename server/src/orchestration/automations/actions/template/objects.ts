/** Events, times and similar values as templates see them. Source: docs.prefect.io/v3/concepts/automations. */
import type { Resource } from '../../../../events/record.ts';
import { typeError } from '../../../../templates/syntax/template-error.ts';
import {
  reprOf,
  TemplateFunction,
  TemplateObject,
  textOf,
  type Value,
  valueOfJson,
} from '../../../../templates/values.ts';
import { isJsonObject, keysInOrder } from '../../../../values/json.ts';
import { microsecondsOf, type Timestamp, timestampFromWire } from '../../../../values/time.ts';

const WIRE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/;

/** A time in UTC; it prints as in Python. */
export class TemplateTime extends TemplateObject {
  readonly timestamp: Timestamp;

  constructor(timestamp: Timestamp) {
    super();
    this.timestamp = timestamp;
  }

  attribute(name: string): Value | undefined {
    const text: string = this.timestamp;
    const part = PARTS[name];
    if (part) return BigInt(text.slice(...part));
    switch (name) {
      case 'isoformat':
        return new TemplateFunction(name, () => this.#text('T'));
      case 'date':
        return new TemplateFunction(name, () => text.slice(0, 10));
      case 'timestamp':
        return new TemplateFunction(name, () => microsecondsOf(this.timestamp) / 1_000_000);
      case 'strftime':
        return new TemplateFunction(name, ({ positional: [format] }) => {
          if (typeof format !== 'string') throw typeError('strftime() argument 1 must be str');
          return formatTime(this.timestamp, format);
        });
      default:
        return undefined;
    }
  }

  print(): string {
    return this.#text(' ');
  }

  override json(): Value {
    return this.timestamp.replace('.000000Z', 'Z');
  }

  #text(between: string): string {
    const [day, time] = [this.timestamp.slice(0, 10), this.timestamp.slice(11, 26).replace('.000000', '')];
    return `${day}${between}${time}+00:00`;
  }
}

const PARTS: Readonly<Record<string, readonly [number, number]>> = {
  year: [0, 4],
  month: [5, 7],
  day: [8, 10],
  hour: [11, 13],
  minute: [14, 16],
  second: [17, 19],
  microsecond: [20, 26],
};

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const MAX_FORMAT_LENGTH = 1000;

function formatTime(timestamp: Timestamp, format: string): string {
  if (format.length > MAX_FORMAT_LENGTH) throw typeError('the format of a time is too long');
  const date = new Date(timestamp);
  const hour12 = String(date.getUTCHours() % 12 || 12).padStart(2, '0');
  const [year, month, day] = [timestamp.slice(0, 4), timestamp.slice(5, 7), timestamp.slice(8, 10)];
  const dayName = DAYS[date.getUTCDay()] ?? '';
  const monthName = MONTHS[date.getUTCMonth()] ?? '';
  const ofYear = Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0)) / 86_400_000) + 1;
  const parts: Readonly<Record<string, string>> = {
    Y: year,
    y: year.slice(2),
    m: month,
    d: day,
    H: timestamp.slice(11, 13),
    I: hour12,
    M: timestamp.slice(14, 16),
    S: timestamp.slice(17, 19),
    f: timestamp.slice(20, 26),
    p: date.getUTCHours() < 12 ? 'AM' : 'PM',
    A: dayName,
    a: dayName.slice(0, 3),
    B: monthName,
    b: monthName.slice(0, 3),
    j: String(ofYear).padStart(3, '0'),
    w: String(date.getUTCDay()),
    u: String(date.getUTCDay() || 7),
    z: '+0000',
    Z: 'UTC',
    F: `${year}-${month}-${day}`,
    T: timestamp.slice(11, 19),
    '%': '%',
  };
  return format.replace(/%(.)/gs, (whole, letter: string) => parts[letter] ?? whole);
}

/**
 * Labels with dots in their names, read one part at a time: `labels.a.b` is the label `a.b`, and prints as its value.
 */
export class Labels extends TemplateObject {
  readonly #labels: Resource;
  readonly #path: string;

  constructor(labels: Resource, path = '') {
    super();
    this.#labels = labels;
    this.#path = path;
  }

  attribute(name: string): Value | undefined {
    const path = this.#path + name;
    const label = ownText(this.#labels, path);
    const goesOn = Object.keys(this.#labels).some((key) => key.startsWith(`${path}.`));
    if (goesOn) return new Labels(this.#labels, `${path}.`);
    return label;
  }

  print(): string {
    return ownText(this.#labels, this.#path.slice(0, -1)) ?? '';
  }

  override json(): Value {
    return new Map(Object.entries(this.#labels));
  }
}

/** A resource of an event: `id`, `name`, `role`, its labels by name, and `labels` for names with dots. */
export class TemplateResource extends TemplateObject {
  readonly labels: Resource;

  constructor(labels: Resource) {
    super();
    this.labels = labels;
  }

  attribute(name: string): Value | undefined {
    const label = ownText(this.labels, name);
    if (label !== undefined) return label;
    switch (name) {
      case 'id':
      case 'name':
      case 'role':
        return ownText(this.labels, `prefect.resource.${name}`);
      case 'labels':
        return new Labels(this.labels);
      case 'get':
        return new TemplateFunction(name, ({ positional: [key, fallback] }) =>
          typeof key === 'string' ? (ownText(this.labels, key) ?? fallback ?? null) : null,
        );
      case 'keys':
        return new TemplateFunction(name, () => Object.keys(this.labels));
      case 'items':
        return new TemplateFunction(name, () => Object.entries(this.labels));
      default:
        return undefined;
    }
  }

  print(): string {
    return JSON.stringify(this.labels);
  }

  override json(): Value {
    return new Map(Object.entries(this.labels));
  }
}

function ownText(labels: Resource, name: string): string | undefined {
  return Object.hasOwn(labels, name) ? labels[name] : undefined;
}

/** Fields with content of the user, which is not converted. */
const OPEN_FIELDS = new Set([
  'payload',
  'parameters',
  'job_variables',
  'labels',
  'context',
  'data',
  'base_job_template',
]);

/** Converts an answer of the API for templates: strings with times become times. */
export function modelValue(data: unknown): Value {
  if (typeof data === 'string') return WIRE_TIME.test(data) ? new TemplateTime(timestampFromWire(data)) : data;
  if (Array.isArray(data)) return data.map(modelValue);
  if (!isJsonObject(data)) return valueOfJson(data);
  return new Map(
    keysInOrder(data).map((key) => [key, OPEN_FIELDS.has(key) ? valueOfJson(data[key]) : modelValue(data[key])]),
  );
}

/** The state of a run, which prints as `Odd('boom', type=FAILED)`. */
export class TemplateState extends TemplateObject {
  readonly #fields: ReadonlyMap<Value, Value>;

  constructor(fields: ReadonlyMap<Value, Value>) {
    super();
    this.#fields = fields;
  }

  attribute(name: string): Value | undefined {
    return this.#fields.get(name);
  }

  print(): string {
    const [name, type, message] = ['name', 'type', 'message'].map((field) => this.#fields.get(field));
    const parts = [
      ...(typeof message === 'string' && message !== '' ? [reprOf(message)] : []),
      ...(textOf(name ?? '').toUpperCase() === type ? [] : [`type=${textOf(type ?? '')}`]),
    ];
    return `${textOf(name ?? '')}(${parts.join(', ')})`;
  }

  override json(): Value {
    return this.#fields;
  }
}

/** Converts an event like `modelValue`, with resources that give access to their labels. */
export function eventValue(data: unknown): Value {
  if (!isJsonObject(data)) return null;
  const model = modelValue(data) as ReadonlyMap<Value, Value>;
  const resource = resourceOf(data['resource']);
  const related = (Array.isArray(data['related']) ? data['related'] : []).map(resourceOf);
  const byRole = Map.groupBy(related, ({ labels }) => labels['prefect.resource.role'] ?? '');
  return new EventObject(
    new Map<Value, Value>([...model, ['resource', resource], ['related', related]]),
    new Map<string, Value>([
      ['involved_resources', [resource, ...related]],
      ['resources_in_role', new Map(byRole)],
      ['resource_in_role', new Map([...byRole].map(([role, [first]]) => [role, first ?? null]))],
    ]),
  );
}

/** The fields of an event, and values derived from them. */
class EventObject extends TemplateObject {
  readonly #fields: ReadonlyMap<Value, Value>;
  readonly #derived: ReadonlyMap<string, Value>;

  constructor(fields: ReadonlyMap<Value, Value>, derived: ReadonlyMap<string, Value>) {
    super();
    this.#fields = fields;
    this.#derived = derived;
  }

  attribute(name: string): Value | undefined {
    return this.#fields.has(name) ? this.#fields.get(name) : this.#derived.get(name);
  }

  print(): string {
    return `<Event ${String(this.#fields.get('id'))}>`;
  }

  override json(): Value {
    return this.#fields;
  }
}

function resourceOf(value: unknown): TemplateResource {
  const labels = isJsonObject(value) ? Object.entries(value).filter(([, text]) => typeof text === 'string') : [];
  return new TemplateResource(Object.fromEntries(labels) as Resource);
}
