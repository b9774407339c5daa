/** The file that a person has sent: as JSON, or as its text. */
import { ValidationFailed } from '../../../errors.ts';
import type { JsonText } from '../../../values/json.ts';

/** Matches comments; strings are kept unchanged. */
const COMMENTS = /("(?:[^"\\]|\\[\s\S]?)*(?:"|$))|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
/** Matches commas at the end of lists. */
const LAST_COMMAS = /("(?:[^"\\]|\\[\s\S]?)*(?:"|$))|,(?=\s*[}\]])/g;

/** A text may contain comments and trailing commas, as editors allow. Throws ValidationFailed. */
export function fileIn(sent: JsonText): unknown {
  const value: unknown = JSON.parse(sent);
  if (typeof value !== 'string') return value;
  const strings = (_: string, string: string | undefined) => string ?? '';
  const text = value.replace(/^\uFEFF/, '').replace(COMMENTS, strings);
  try {
    return JSON.parse(text.replace(LAST_COMMAS, strings));
  } catch {
    throw new ValidationFailed([{ type: 'value_error', loc: ['body', 'serverJson'], msg: 'This text is not JSON.' }]);
  }
}
