/** Reads one value of an address: text, or undefined when it is absent or empty. The router reads `?q=30` as a number. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
