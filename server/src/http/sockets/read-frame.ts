import { isJsonObject, JsonSyntaxError, parseJson } from '../../values/json.ts';

/** The JSON object in a text frame; undefined if it contains none. */
export function readFrame(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
