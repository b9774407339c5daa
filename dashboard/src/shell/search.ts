/** The part of an address after `?`: names and texts, as the pages read and write them. */

/** `?state=FAILED&q=30` as texts. Of a name that stands twice, the last value counts. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** With the question mark; empty when there is nothing to say. */
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
