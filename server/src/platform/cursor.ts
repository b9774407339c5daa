/** Cursors of lists that go by id: opaque on the wire, so that what they hold can change. */
import { ValidationFailed } from '../errors.ts';
import { isUuid } from '../id.ts';

export function cursorOf(id: string): string {
  return Buffer.from(id).toString('base64url');
}

/** `field` of the query held it, `list` says of what. Throws ValidationFailed for what `cursorOf` did not make. */
export function idOfCursor(cursor: string, field: string, list: string): string {
  const id = Buffer.from(cursor, 'base64url').toString('utf8');
  if (isUuid(id)) return id.toLowerCase();
  throw new ValidationFailed([{ type: 'value_error', loc: ['query', field], msg: `This is not a cursor of ${list}.` }]);
}
