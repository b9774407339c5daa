/** Values as editable JSON. */

export function textOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

/** An empty text means an absent value. */
export function parsedJson(text: string): { readonly value: unknown } | { readonly fault: string } {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { fault: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
