import { RESERVED_NAMES, RESERVED_PREFIX } from '../../../mcp/hosting/launch/stored-launch.ts';
import { Nullable, refine, Shape, type Static, Type, withDefault } from '../../../schema/kinds.ts';
import { stamps } from '../../fields.ts';
import { List } from '../../page.ts';

const MAX_VALUE = 32_768;

/** The problem with a name, or undefined. */
export function nameProblem(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,199}$/.test(name)) {
    return 'must be letters, digits and underscores, not begin with a digit, and have at most 200 characters';
  }
  if (RESERVED_NAMES.has(name) || name.startsWith(RESERVED_PREFIX)) return 'is set by this server';
  return undefined;
}

const fields = {
  ...stamps,
  name: Type.String(),
  /** Its value is never read back. */
  sensitive: Type.Boolean(),
  description: Type.String(),
};

/** A variable in a list: without its value. */
export const Variable = Shape('ServerVariable', fields, 'ignore');

export const VariableWithValue = Shape(
  'ServerVariableWithValue',
  {
    ...fields,
    /** Null when it is sensitive. */
    value: Nullable(Type.String()),
  },
  'ignore',
);

export const VariablePut = Shape('ServerVariablePut', {
  value: refine(Type.String({ maxLength: MAX_VALUE }), (text) =>
    text.includes('\0') ? 'must not contain NUL' : undefined,
  ),
  sensitive: withDefault(Type.Boolean(), true),
  description: withDefault(Type.String({ maxLength: 500 }), ''),
});
export type VariablePut = Static<typeof VariablePut>;

export const VariableList = List('ServerVariableList', Variable);
