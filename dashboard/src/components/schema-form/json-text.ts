/** Values as the JSON that a person edits. */

export function textOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

/** An empty text is a value that is absent. */
export function parsedJson(text: string): { readonly value: unknown } | { readonly fault: string } {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { fault: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
