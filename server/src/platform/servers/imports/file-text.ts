/** What a person has sent as a file: JSON, or its text. */
import { ValidationFailed } from '../../../errors.ts';
import type { JsonText } from '../../../values/json.ts';

/** Comments; strings are kept as they stand. */
const COMMENTS = /("(?:[^"\\]|\\[\s\S]?)*(?:"|$))|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
/** Commas at the end of lists. */
const LAST_COMMAS = /("(?:[^"\\]|\\[\s\S]?)*(?:"|$))|,(?=\s*[}\]])/g;

/** A text may have comments and commas at the end of lists, as editors have it. Throws ValidationFailed. */
export function fileIn(sent: JsonText): unknown {
  const value: unknown = JSON.parse(sent);
  if (typeof value !== 'string') return value;
  const strings = (_: string, string: string | undefined) => string ?? '';
  const text = value.replace(/^\uFEFF/, '').replace(COMMENTS, strings);
  try {
    return JSON.parse(text.replace(LAST_COMMAS, strings));
  } catch {
    throw new ValidationFailed([{ type: 'value_error', loc: ['body', 'serverJson'], msg: 'This text is no JSON.' }]);
  }
}
