import { ValidationFailed } from '../../errors.ts';
import { type JsonText, printedObject } from '../../values/json.ts';

/**
 * Throws ValidationFailed when a run's parameters exceed the setting in bytes; 0 allows any size. `loc` is the place of
 * the parameters in the request. The size is that of Python's JSON text, which escapes every character beyond ASCII.
 * Source: the Prefect server 3.9.1, whose answers `parameter-size.test.ts` contains.
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
