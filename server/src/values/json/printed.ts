/** A large value kept as text only, because no reader needs its parts. It takes no more memory than the text. */
export class PrintedJson {
  /** Compact JSON, as `jsonTextOf` prints it. */
  readonly text: string;
  readonly kind: 'object' | 'array';

  constructor(text: string, kind: 'object' | 'array') {
    this.text = text;
    this.kind = kind;
  }
}

/** True for the text of a large object, or of a large array. */
export function isPrinted(value: unknown, kind: PrintedJson['kind']): value is PrintedJson {
  return value instanceof PrintedJson && value.kind === kind;
}
