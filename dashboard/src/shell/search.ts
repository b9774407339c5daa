/** The query part of an address: names and texts, as pages read and write them. */

/** `?state=FAILED&q=30` as texts. The last value of a repeated name counts. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** Includes the question mark; empty without parameters. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size > 0 ? `?${parameters}` : '';
}

/** Reads one value of an address: text, or undefined when it is absent or empty. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Reads a switch of an address: true, or undefined when it is anything else. */
export function flag(value: unknown): true | undefined {
  return value === true || value === 'true' ? true : undefined;
}

/** Reads one of a few words of an address. */
export const oneOf =
  <const Words extends readonly string[]>(...words: Words) =>
  (value: unknown): Words[number] | undefined =>
    words.find((word) => word === value);

/** A search is declared once: its names, with how each is read. */
export type Reads = Readonly<Record<string, (value: unknown) => unknown>>;
export type SearchOf<R extends Reads> = { readonly [Name in keyof R]?: ReturnType<R[Name]> | undefined };

export function readSearch<R extends Reads>(reads: R, search: Readonly<Record<string, unknown>>): SearchOf<R> {
  return Object.fromEntries(Object.entries(reads).map(([name, read]) => [name, read(search[name])])) as SearchOf<R>;
}
