import { ValidationFailed } from '../../errors.ts';
import { type JsonText, printedObject } from '../../json.ts';

/**
 * Refuses parameters of a run that are larger than the setting allows, as if their schema said so; 0 allows any size.
 * `loc` is where the parameters stand in the request. Throws ValidationFailed.
 * Source: reference behaviour; the size is that of Python's JSON text, which escapes everything that is not ASCII.
 */
export function checkParameterSize(
  parameters: JsonText | null | undefined,
  maximumBytes: number,
  loc: readonly (string | number)[] = ['body', 'parameters'],
): void {
  if (!parameters || maximumBytes === 0 || parameters.length * ESCAPE_LENGTH <= maximumBytes) return;
  const sizeBytes = escapedLength(parameters);
  if (sizeBytes <= maximumBytes) return;
  const msg = `Value error, Flow run parameters must be less than ${grouped(maximumBytes)} bytes when serialized (got ${grouped(sizeBytes)} bytes).`;
  throw new ValidationFailed([{ type: 'value_error', loc, msg, input: printedObject(parameters), ctx: { error: {} } }]);
}

/** `é` becomes `\u00e9`. */
const ESCAPE_LENGTH = 6;

function escapedLength(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > 0x7e) length += ESCAPE_LENGTH - 1;
  }
  return length;
}

function grouped(bytes: number): string {
  return bytes.toLocaleString('en-US');
}
