/**
 * JSON as two servers wrote it. A number stays the text that was sent: `1.0` and `1` are different answers, and
 * integers of any length are compared exactly. The reader is not the server's own, so that a fault there cannot hide.
 */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Python's two types: a fraction or an exponent makes a float. */
  get isFloat(): boolean {
    return /[.eE]/.test(this.text);
  }

  get value(): number {
    return Number(this.text);
  }

  /** Same type and same value; floats may be printed differently (`1e3`, `1000.0`). */
  equals(other: NumberText): boolean {
    if (this.isFloat !== other.isFloat) return false;
    return this.isFloat ? Object.is(this.value, other.value) : BigInt(this.text) === BigInt(other.text);
  }

  toJSON(): string {
    return this.text;
  }
}

export type ParsedObject = { [key: string]: Parsed };
export type Parsed = null | boolean | string | NumberText | Parsed[] | ParsedObject;

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Throws a SyntaxError when the text is not JSON. */
function parseJson(text: string): Parsed {
  const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;
  return parse(text, (_key, value, context) =>
    typeof value === 'number' ? new NumberText(context.source ?? String(value)) : value,
  ) as Parsed;
}

/**
 * Like `parseJson`, but a body that is wrongly declared as JSON becomes its text, which the other side will hardly
 * equal.
 */
export function readJson(text: string): Parsed {
  try {
    return parseJson(text);
  } catch {
    return `not JSON: ${text}`;
  }
}

export function isParsedObject(value: Parsed | undefined): value is ParsedObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText);
}

/** The objects of a list, or of the `results` of a page. */
export function objectsIn(body: Parsed): ParsedObject[] {
  const list = isParsedObject(body) ? body.results : body;
  return Array.isArray(list) ? list.filter(isParsedObject) : [];
}

/** Back to text, numbers as they came; for reports and sort keys. */
export function printJson(value: Parsed): string {
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map(printJson).join(',')}]`;
  if (isParsedObject(value)) {
    const members = Object.keys(value).map((key) => `${JSON.stringify(key)}:${printJson(value[key] as Parsed)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}
