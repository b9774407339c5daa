/** Reads one value of an address: text, or undefined when it is absent or empty. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
