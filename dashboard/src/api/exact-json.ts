/**
 * JSON without loss: `1.0` stays `1.0` and long integers keep every digit, where the browser can. JavaScript's numbers
 * would change both, and unchanged parts of a value must be stored unchanged.
 */

/** Browsers support these since 2024 and 2025; TypeScript does not declare them yet. */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON?(text: string): unknown;
}

const exact = JSON as unknown as ExactJson;

/** The value of an answer's text, for `JSON.stringify` only: numbers that JavaScript would change are kept as text. */
export function readExactly(text: string): unknown {
  return exact.parse(text, (_key, value, context) => {
    const source = context?.source;
    return typeof value === 'number' && source !== undefined && exact.rawJSON && JSON.stringify(value) !== source
      ? exact.rawJSON(source)
      : value;
  });
}

/** `value` on several lines, for editing. */
export function printExactly(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
