/**
 * Requests are written once and sent to both servers. A value that a server chose (an id, a generated name, a page
 * token) is written as a reference to a handle, and becomes that server's own value when the request is sent to it.
 */
export type Side = 'reference' | 'ours';
export const sides: readonly Side[] = ['reference', 'ours'];

/** An object that both servers hold. */
export class Handle {
  /** False once it was deleted; requests still name it now and then, to compare the answers for a missing object. */
  #alive = true;
  /** Values that the generators remember, the same for both servers: the flow of a run, the sent name, ... */
  readonly facts: Record<string, Symbolic> = {};
  readonly kind: string;
  readonly #values: Record<Side, Record<string, string>>;

  constructor(kind: string, reference: Record<string, string>, ours: Record<string, string>) {
    this.kind = kind;
    this.#values = { reference, ours };
  }

  get alive(): boolean {
    return this.#alive;
  }

  die(): void {
    this.#alive = false;
  }

  value(side: Side, attribute: string): string {
    return this.#values[side][attribute] ?? `no-${attribute}`;
  }

  has(attribute: string): boolean {
    return attribute in this.#values.reference && attribute in this.#values.ours;
  }
}

/** The id, or another attribute, of an object on the given side. */
export class Ref {
  readonly handle: Handle;
  readonly attribute: string;

  constructor(handle: Handle, attribute = 'id') {
    this.handle = handle;
    this.attribute = attribute;
  }
}

/** Text around references: `prefect.flow-run.<id>`. */
export class Joined {
  readonly parts: readonly (string | Ref)[];

  constructor(...parts: (string | Ref)[]) {
    this.parts = parts;
  }
}

/** JSON text that is sent unchanged: `1.0`, `1e400`, an integer of forty digits, an object with a repeated key. */
export class Verbatim {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type SymbolicObject = { [key: string]: Symbolic };
export type Symbolic = null | boolean | number | string | Ref | Joined | Verbatim | Symbolic[] | SymbolicObject;

export function isObject(value: Symbolic | undefined): value is SymbolicObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Ref) &&
    !(value instanceof Joined) &&
    !(value instanceof Verbatim)
  );
}

/** The plain text that a reference, a joined text or a scalar stands for on one side. */
export function textFor(value: Symbolic, side: Side): string {
  if (value instanceof Ref) return value.handle.value(side, value.attribute);
  if (value instanceof Joined) return value.parts.map((part) => textFor(part, side)).join('');
  if (value instanceof Verbatim) return value.text;
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) return jsonFor(value, side);
  return String(value);
}

/** The JSON text of a value on one side; lone surrogates are written as escapes. */
export function jsonFor(value: Symbolic, side: Side): string {
  if (value instanceof Verbatim) return value.text;
  if (value instanceof Ref || value instanceof Joined) return JSON.stringify(textFor(value, side));
  if (Array.isArray(value)) return `[${value.map((item) => jsonFor(item, side)).join(',')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${jsonFor(member, side)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** The parts of a path: `path\`/flows/${id}\`` encodes inserted values and keeps the literal text. */
export function path(literals: TemplateStringsArray, ...values: Symbolic[]): PathTemplate {
  return { literals: [...literals], values };
}

export interface PathTemplate {
  readonly literals: readonly string[];
  readonly values: readonly Symbolic[];
}

export function pathFor(template: PathTemplate, side: Side): string {
  return template.literals
    .map((literal, index) => {
      const value = template.values[index];
      return value === undefined ? literal : literal + encodeSegment(textFor(value, side));
    })
    .join('');
}

/** Like encodeURIComponent, but a lone surrogate becomes the replacement character instead of an exception. */
function encodeSegment(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
